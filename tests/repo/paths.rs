//! The paths that a Rust source text names, with `use` trees expanded and `super` resolved. It
//! reads tokens, not the language: comments, strings and lifetimes are skipped, and whatever is
//! no path is passed over.

/// A path, segment by segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub line: usize,
    /// The segments. The last one of an imported glob is `*`; `self` and `super` are resolved.
    pub path: Vec<String>,
    /// Whether a `use` imports it, so that what lies below it can be named without it.
    pub imported: bool,
}

impl Named {
    pub fn starts_with(&self, prefix: &str) -> bool {
        let mut segments = self.path.iter();
        prefix.split("::").all(|wanted| segments.next().is_some_and(|segment| segment == wanted))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Token {
    line: usize,
    text: String,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words, `::` and single characters; no comments, and `""` for strings.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let starts = |at: usize, what: &str| {
        what.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c))
    };
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let start = at;
        let mut token = None;
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if starts(at, "/*") {
            let mut depth = 0;
            loop {
                let step = if starts(at, "/*") { 1 } else { -i32::from(starts(at, "*/")) };
                depth += step;
                at += if step == 0 { 1 } else { 2 };
                if depth == 0 || at >= chars.len() {
                    break;
                }
            }
        } else if let Some(end) = string(&chars, at) {
            (at, token) = (end, Some("\"\"".to_owned()));
        } else if is_word(chars[at]) {
            at += usize::from(starts(at, "r#")) * 2;
            let word = at;
            while at < chars.len() && is_word(chars[at]) {
                at += 1;
            }
            token = Some(chars[word..at].iter().collect());
        } else {
            at += if starts(at, "::") { 2 } else { 1 };
            let text: String = chars[start..at].iter().collect();
            token = Some(text).filter(|text| !text.trim().is_empty());
        }
        found.extend(token.map(|text| Token { line, text }));
        line += chars[start..at.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    }
    found
}

/// Where the string or character that begins at `at` ends, if one does.
fn string(chars: &[char], at: usize) -> Option<usize> {
    if chars[at] == '\'' {
        // A lifetime has no closing quote.
        return match (chars.get(at + 1)?, chars.get(at + 2)?) {
            ('\\', _) => Some(at + 3 + chars[at + 3..].iter().position(|&c| c == '\'')? + 1),
            (_, '\'') => Some(at + 3),
            _ => None,
        };
    }
    let prefix = chars[at..].iter().take_while(|c| "bcr".contains(**c)).count();
    let raw = chars[at..at + prefix].contains(&'r');
    let hashes = chars[at + prefix..].iter().take_while(|&&c| raw && c == '#').count();
    let mut end = at + prefix + hashes;
    if prefix > 2 || chars.get(end) != Some(&'"') {
        return None;
    }
    end += 1;
    while end < chars.len() {
        let closed = chars[end] == '"'
            && chars[end + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
        if closed {
            return Some(end + 1 + hashes);
        }
        end += if chars[end] == '\\' && !raw { 2 } else { 1 };
    }
    Some(chars.len())
}

/// Where the group that opens at `at` ends: past its closing bracket.
fn past_group(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token.text.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + offset + 1;
        }
    }
    tokens.len()
}

/// Takes out every item that stands under `#[cfg(test)]` or `#[cfg(all(test, ...))]`; with
/// `#![cfg(all(test, ...))]` that is the rest of the file.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let texts: Vec<&str> = tokens[at..].iter().take(7).map(|token| &*token.text).collect();
        if texts.starts_with(&["#", "!", "[", "cfg", "(", "all", "("])
            && tokens.get(at + 7).is_some_and(|token| token.text == "test")
        {
            break;
        }
        let is_test = texts.starts_with(&["#", "[", "cfg", "(", "test", ")"])
            || texts.starts_with(&["#", "[", "cfg", "(", "all", "(", "test"]);
        if !is_test {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at = past_group(&tokens, at + 1);
        // The item: up to its semicolon or the end of its braces.
        while at < tokens.len() {
            match tokens[at].text.as_str() {
                ";" => {
                    at += 1;
                    break;
                }
                "{" => {
                    at = past_group(&tokens, at);
                    // The braces of a `use` have a semicolon behind them.
                    at += usize::from(tokens.get(at).is_some_and(|token| token.text == ";"));
                    break;
                }
                "(" | "[" => at = past_group(&tokens, at),
                _ => at += 1,
            }
        }
    }
    kept
}

/// Every path that `text` names, in the module of the crate with the segments `module`.
pub fn named(text: &str, module: &[&str], with_tests: bool) -> Vec<Named> {
    let tokens = tokens(text);
    let tokens = if with_tests { tokens } else { without_tests(tokens) };
    let mut module: Vec<String> = module.iter().map(|&segment| segment.to_owned()).collect();
    let mut found = Vec::new();
    // For each open brace, whether a module's.
    let mut braces = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        if text(at) == "mod" && text(at + 2) == "{" {
            module.push(text(at + 1).to_owned());
            braces.push(true);
            at += 3;
        } else if text(at) == "{" {
            braces.push(false);
            at += 1;
        } else if text(at) == "}" {
            if braces.pop() == Some(true) {
                module.pop();
            }
            at += 1;
        } else if text(at) == "use" && text(at + 1) != "<" {
            let first = found.len();
            at = use_tree(&tokens, at + 1, Vec::new(), &mut found);
            found[first..].iter_mut().for_each(|named| resolve(named, &module));
        } else if text(at) == "extern" && text(at + 1) == "crate" {
            let path = vec![text(at + 2).to_owned()];
            found.push(Named { line: tokens[at].line, path, imported: true });
            at += 3;
        } else if text(at).starts_with(is_word) {
            let line = tokens[at].line;
            let mut path = vec![text(at).to_owned()];
            at += 1;
            while text(at) == "::" && text(at + 1).starts_with(is_word) {
                path.push(text(at + 1).to_owned());
                at += 2;
            }
            if path.len() > 1 {
                let mut named = Named { line, path, imported: false };
                resolve(&mut named, &module);
                found.push(named);
            }
        } else {
            at += 1;
        }
    }
    found
}

/// Reads one tree of a `use`, with `prefix` before it, and returns where it ends.
fn use_tree(tokens: &[Token], mut at: usize, prefix: Vec<String>, found: &mut Vec<Named>) -> usize {
    let mut path = prefix;
    let line = tokens.get(at).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token.text != "}") {
                    at = use_tree(tokens, at, path.clone(), found);
                    at += usize::from(tokens.get(at).is_some_and(|token| token.text == ","));
                }
                return at + 1;
            }
            "as" => at += 2,
            ";" | "," | "}" => break,
            segment => {
                path.push(segment.to_owned());
                at += 1;
            }
        }
    }
    found.push(Named { line, path, imported: true });
    at
}

/// Makes a path that begins with `self` or `super` begin with `crate`, and removes a `self` at the
/// end.
fn resolve(named: &mut Named, module: &[String]) {
    if named.path.len() > 1 && named.path.last().is_some_and(|last| last == "self") {
        named.path.pop();
    }
    let ups = named.path.iter().take_while(|segment| *segment == "super").count();
    let selfs = usize::from(named.path[0] == "self");
    if ups + selfs > 0 {
        let ups = ups.max(named.path[selfs..].iter().take_while(|s| *s == "super").count());
        let base = &module[..module.len().saturating_sub(ups)];
        let rest = named.path.split_off(ups + selfs);
        named.path =
            ["crate".to_owned()].into_iter().chain(base.iter().cloned()).chain(rest).collect();
    }
}
