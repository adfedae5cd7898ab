//! Programs whose ranks are processes: this test program starts itself, with the program as an argument.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use runahead::Launch;

use super::nets::Outcome;
use super::oracle::check;
use super::play::play;
use super::program::Program;

/// The argument that makes this program play one, which follows.
pub const PLAY: &str = "play-a-program";

/// Plays the program in processes: each rank's process comes here too. Says what is wrong.
pub fn play_in_processes(text: &str) -> Result<(), String> {
    let program: Program = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let size = program.size();
    let launch = Launch::new(size).options(program.shape.config(size)).processes();
    let logs = launch.collect(|world| play(world, &program, None)).map_err(|e| e.to_string())?;
    check(&program, &logs, true)
}

/// Runs the program and says what became of it. One that hangs is killed, and its ranks with it.
pub fn run(program: &Program, deadline: Duration) -> Outcome {
    let text = serde_json::to_string(program).expect("a program can be written down");
    let mut command =
        Command::new(std::env::current_exe().expect("this program knows where it is"));
    command.args([PLAY, &text]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let begin = Instant::now();
    let mut child = command.spawn().expect("it can be started");
    let mut errors = child.stderr.take().expect("a pipe");
    let said = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).map(|_| text)
    });
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break status,
            None if begin.elapsed() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Outcome::Hung;
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let said = said.join().expect("the reader goes on").unwrap_or_else(|error| error.to_string());
    if status.success() { Outcome::Right } else { Outcome::Wrong(format!("{status}: {said}")) }
}
