//! Every function that takes a handle, called with handles that name nothing: each refuses, and none follows the handle.
//! The program is made from the table of prototypes, so a function that is new is called, too.
//! Rules: one argument is wrong in a call, all others are what the function could use.

#[allow(dead_code, reason = "the header is made from the rest")]
#[path = "../generate/functions.rs"]
mod functions;
mod shared;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use functions::{Function, Parameter};
use runahead::launch::JOB_VARIABLE;
use runahead::launch::job::Job;
use shared::{compile, folder, root};

/// Each kind of handle, with one that functions can use.
const KINDS: [(&str, &str); 11] = [
    ("MPI_Comm", "MPI_COMM_SELF"),
    ("MPI_Group", "MPI_GROUP_EMPTY"),
    ("MPI_Datatype", "MPI_INT"),
    ("MPI_Op", "MPI_SUM"),
    ("MPI_Info", "MPI_INFO_NULL"),
    ("MPI_Errhandler", "MPI_ERRORS_RETURN"),
    ("MPI_Request", "MPI_REQUEST_NULL"),
    ("MPI_Message", "MPI_MESSAGE_NO_PROC"),
    ("MPI_Win", "a_window"),
    ("MPI_Session", "a_session"),
    ("MPI_File", "MPI_FILE_NULL"),
];

/// Functions that end the library or the job, or that a program calls before all others.
const NOT_CALLED: [&str; 4] = ["MPI_Abort", "MPI_Init", "MPI_Init_thread", "MPI_Finalize"];

/// What may be accepted: a message from nobody is received without a look at the datatype.
const ACCEPTED: [&str; 4] =
    ["MPI_Mrecv datatype", "MPI_Mrecv_c datatype", "MPI_Imrecv datatype", "MPI_Imrecv_c datatype"];

/// The usable handle, where the parameter is a handle.
fn handle(parameter: &Parameter) -> Option<(&'static str, bool)> {
    let Parameter::Named { base, stars, suffix, .. } = parameter else { return None };
    let (_, usable) = KINDS.iter().find(|(kind, _)| kind == base)?;
    Some((usable, *stars == 0 && suffix.is_empty()))
}

/// An argument, in C: `bad` is the variable with the handle that names nothing.
fn argument(parameter: &Parameter, is_wrong: bool) -> String {
    let Parameter::Named { base, stars, suffix, name, .. } = parameter else {
        return "0".to_owned();
    };
    let by_value = *stars == 0 && suffix.is_empty();
    if is_wrong {
        return if by_value { format!("({base})bad") } else { format!("({base} *)several(bad)") };
    }
    if name == "local_group" {
        // An empty one makes no communicator, whatever the other is.
        return "a_group".to_owned();
    }
    if let Some((usable, _)) = handle(parameter) {
        return if by_value {
            usable.to_owned()
        } else {
            format!("({base} *)several((uintptr_t){usable})")
        };
    }
    match &**name {
        "disp_unit" if by_value => return "1".to_owned(),
        "datarep" => return "\"external32\"".to_owned(),
        "split_type" => return "MPI_COMM_TYPE_SHARED".to_owned(),
        "recvbuf" => return "(void *)room_for_results".to_owned(),
        _ => {}
    }
    let is_number =
        ["int", "MPI_Count", "MPI_Aint", "MPI_Offset", "MPI_Fint"].contains(&base.as_str());
    match (is_number && by_value, suffix.as_str()) {
        // Ranks and roots are 0; so are tags and displacements. Of what is counted there is one.
        (true, _) if ["count", "size", "n"].iter().any(|word| name.ends_with(word)) => {
            "1".to_owned()
        }
        (true, _) => "0".to_owned(),
        (false, "[][3]") => "(void *)room".to_owned(),
        (false, _) => match by_value {
            true => "0".to_owned(),
            false => "(void *)room".to_owned(),
        },
    }
}

/// The calls of a function, one for each handle that can be wrong.
fn calls(function: &Function) -> Vec<(String, String)> {
    let name = &function.name;
    let excluded = NOT_CALLED.contains(&name.as_str())
        || name.starts_with("MPI_T_")
        || name.ends_with("_fromint")
        || name.ends_with("_toint")
        || function.parameters.contains(&Parameter::Variadic);
    if excluded {
        return Vec::new();
    }
    let by_value = |parameter: &Parameter| handle(parameter).is_some_and(|(_, by_value)| by_value);
    let any_by_value = function.parameters.iter().any(by_value);
    // What points to a handle is a result, unless the function has no other.
    let wrong = (0..function.parameters.len()).filter(|at| {
        let parameter = &function.parameters[*at];
        if any_by_value { by_value(parameter) } else { handle(parameter).is_some() && takes(name) }
    });
    wrong
        .map(|wrong| {
            let parameters = function.parameters.iter().enumerate();
            let arguments: Vec<_> =
                parameters.map(|(at, parameter)| argument(parameter, at == wrong)).collect();
            let mut arguments = arguments.join(", ");
            if name.contains("eighbor") {
                arguments = arguments.replace("MPI_COMM_SELF", "a_grid");
            }
            let Parameter::Named { name: which, .. } = &function.parameters[wrong] else {
                unreachable!()
            };
            // Of an array, what is wrong is one request.
            let which = if which == "array_of_requests" { "request" } else { which };
            (which.to_owned(), format!("{name}({arguments})"))
        })
        .collect()
}

/// Whether a function takes what it has a pointer to.
fn takes(name: &str) -> bool {
    [
        "free",
        "Wait",
        "Test",
        "Start",
        "Cancel",
        "disconnect",
        "close",
        "finalize",
        "status_all",
        "status_any",
        "status_some",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// The program, whose lines say which calls were accepted.
fn program(functions: &[&Function]) -> (String, usize) {
    let mut text = "#include \"refusals.h\"\n".to_owned();
    let mut all = 0;
    let mut main = String::new();
    for function in functions {
        let calls = calls(function);
        if calls.is_empty() || function.returns != "int" {
            continue;
        }
        let _ = writeln!(text, "static void call_{}(uintptr_t bad, int names)\n{{", function.name);
        for (which, call) in calls {
            let _ = writeln!(text, "    TRY(\"{}\", \"{which}\", {call});", function.name);
            all += 1;
        }
        let _ = writeln!(text, "}}");
        let _ = writeln!(main, "        call_{}(bad, turn % 25 == 1);", function.name);
    }
    let _ = write!(
        text,
        "int main(int argc, char **argv)\n{{\n    int rank, size;\n    begin(&argc, &argv, &rank, &size);\n    prepare();\n\
         \x20   for (int turn = 0; turn < 60; turn++) {{\n        uintptr_t bad = next(turn);\n{main}    }}\n\
         \x20   finish();\n    return 0;\n}}\n"
    );
    (text, all)
}

/// Runs it, and returns what was accepted, by functions and parameters.
fn accepted(functions: &[&Function]) -> BTreeSet<String> {
    let folder = folder();
    let (text, calls) = program(functions);
    let (source, out) = (folder.path().join("refusals.c"), folder.path().join("out"));
    fs::write(&source, text).expect("a file");
    // Arguments of callbacks are null pointers of any type, and deprecated functions are called, too.
    let binary =
        compile(folder.path(), &[source], "refusals", &["-Wno-nonnull", "-Wno-cast-function-type"]);
    // Outside of the job, so that messages are written and not handed over.
    let program = format!("exec env -u {JOB_VARIABLE} {}", binary.display());
    let shell = format!("{program} > {}", out.display());
    // Messages take a copy of the process each, some thousands in all.
    let job = Job::new(1, "sh").args(["-c", &shell]).timeout(Duration::from_secs(600));
    let failure = job.run().expect("a job").failure;
    assert!(failure.is_none(), "of {calls} calls, one did more than refuse: {failure:?}");
    fs::read_to_string(&out).expect("what it said").lines().map(str::to_owned).collect()
}

/// Each message begins with the function and the argument. (Noticed: `MPI_Comm_split_type`, which did not look at hints;
/// `MPI_Comm_set_info`, which blamed the hints for the communicator. Planted: hints that nobody looks at, which were accepted
/// by 27 functions; an error handler that is none; a group that is called as usual where there are two.)
#[test]
fn every_function_refuses_handles_that_name_nothing() {
    let table = fs::read_to_string(root().join("src/abi/functions.txt")).expect("a table");
    let sections = functions::parse(&table).expect("the table of functions");
    let functions: Vec<_> = sections.iter().flat_map(|section| &section.functions).collect();
    let accepted = accepted(&functions);
    let more: Vec<_> = accepted.iter().filter(|call| !ACCEPTED.contains(&call.as_str())).collect();
    assert!(more.is_empty(), "{more:#?}");
}
