//! Reads `src/abi/functions.txt`, the prototypes of all functions of MPI, section by section.
//! Rules: a line that is no prototype is an error that names the line, never skipped.
//! Source of the names: MPI 5.0, appendix A, section on C bindings.

/// A chapter's worth of functions.
#[derive(Debug)]
pub struct Section {
    /// What they are for.
    pub title: String,
    /// The functions, in the order of the file.
    pub functions: Vec<Function>,
}

/// A function of MPI.
#[derive(Debug)]
pub struct Function {
    /// What it returns, as in C.
    pub returns: String,
    /// Its name, which begins with `MPI_`.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Since which version of the standard it is deprecated.
    pub deprecated_since: Option<String>,
}

/// A parameter of a function.
#[derive(Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `const int counts[]` is a constant `int`, no star, the name, and the suffix `[]`.
    Named {
        /// Whether what it points to is constant.
        is_const: bool,
        /// The type without stars.
        base: String,
        /// How many stars it has.
        stars: usize,
        /// Its name.
        name: String,
        /// Nothing, `[]` or `[][3]`.
        suffix: String,
    },
    /// `...`.
    Variadic,
}

/// Reads the file.
///
/// # Errors
///
/// The number of the first line that is neither empty, a comment, a section nor a prototype, and what is wrong.
pub fn parse(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |what: &str| format!("functions.txt, line {}: {what}: {line}", index + 1);
        if let Some(title) = line.strip_prefix("## ") {
            sections.push(Section { title: title.to_owned(), functions: Vec::new() });
        } else if !line.is_empty() && !line.starts_with('#') {
            let section = sections.last_mut().ok_or_else(|| at("no section"))?;
            section.functions.push(parse_function(line).ok_or_else(|| at("no prototype"))?);
        }
    }
    Ok(sections)
}

/// One prototype.
fn parse_function(line: &str) -> Option<Function> {
    let (head, rest) = line.split_once('(')?;
    let (returns, name) = head.split_once(' ')?;
    let (parameters, behind) = rest.rsplit_once(')')?;
    let deprecated_since = match behind {
        "" => None,
        _ => Some(behind.strip_prefix(" !")?.to_owned()),
    };
    let parameters = match parameters {
        "void" => Vec::new(),
        _ => parameters.split(", ").map(parse_parameter).collect::<Option<_>>()?,
    };
    let name = name.starts_with("MPI_").then(|| name.to_owned())?;
    Some(Function { returns: returns.to_owned(), name, parameters, deprecated_since })
}

/// One parameter.
fn parse_parameter(text: &str) -> Option<Parameter> {
    if text == "..." {
        return Some(Parameter::Variadic);
    }
    let (is_const, text) = match text.strip_prefix("const ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (base, declarator) = text.split_once(' ')?;
    let name_and_suffix = declarator.trim_start_matches('*');
    let stars = declarator.len() - name_and_suffix.len();
    let (name, suffix) =
        name_and_suffix.split_at(name_and_suffix.find('[').unwrap_or(name_and_suffix.len()));
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_word && ["", "[]", "[][3]"].contains(&suffix)).then(|| Parameter::Named {
        is_const,
        base: base.to_owned(),
        stars,
        name: name.to_owned(),
        suffix: suffix.to_owned(),
    })
}

impl Function {
    /// The prototype in C, with `prefix` before the name and no semicolon.
    #[must_use]
    pub fn prototype(&self, prefix: &str) -> String {
        let parameters: Vec<_> = self.parameters.iter().map(Parameter::declaration).collect();
        let parameters =
            if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        format!("{} {prefix}{}({parameters})", self.returns, self.name)
    }
}

impl Parameter {
    /// The declaration in C.
    #[must_use]
    pub fn declaration(&self) -> String {
        match self {
            Self::Variadic => "...".to_owned(),
            Self::Named { is_const, base, stars, name, suffix } => {
                let qualifier = if *is_const { "const " } else { "" };
                format!("{qualifier}{base} {}{name}{suffix}", "*".repeat(*stars))
            }
        }
    }
}
