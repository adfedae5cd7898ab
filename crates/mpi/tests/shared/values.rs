//! The values that the interface fixes, as a program prints them that was built with a header.
//! Rules: of each expected line there is one printed line, in the same order.

/// A program that prints what each line of the expected values is about.
pub fn printing_program(expected: &str) -> String {
    let mut source =
        "#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n".to_owned();
    for line in expected.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<_> = line.split(' ').collect();
        source += &match words[..] {
            ["sizeof", name, ..] => {
                format!("printf(\"sizeof {name} %zu %zu\\n\", sizeof({name}), _Alignof({name}));\n")
            }
            ["offset", name, ..] => {
                format!("printf(\"offset {name} %zu\\n\", offsetof(MPI_Status, {name}));\n")
            }
            [name, ..] => format!("printf(\"{name} %lld\\n\", (long long)(intptr_t){name});\n"),
            [] => String::new(),
        };
    }
    source + "return 0; }\n"
}

/// The expected lines that are printed otherwise, or not at all.
pub fn differing(expected: &str, printed: &str) -> Vec<String> {
    let expected = expected.lines().filter(|line| !line.starts_with('#'));
    let mut printed = printed.lines();
    expected.filter(|line| printed.next() != Some(line)).map(str::to_owned).collect()
}
