//! The programs that the tests start.

use std::fs::OpenOptions;
use std::io::{BufRead, Read, Write, stdin, stdout};
use std::process::{Command, exit};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use runahead::launch::JOB_VARIABLE;
use runahead::{Comm, Error, Launch, Result, Source, Tree, TuneCache, launch};

use super::harness::PART;
use super::losses::die;
use super::{collectives, hosts, losses, over_hosts};

/// Plays a part.
pub fn play(name: &str, args: &[String]) -> Result<()> {
    let number = |at: usize| args.get(at).and_then(|arg| arg.parse::<usize>().ok());
    let size = number(0).unwrap_or(2);
    match name {
        "values" => values(size, &args[1]),
        "launches" => launches(),
        "mixed" => mixed(),
        "pids" => pids(Launch::new(size)),
        "pids-in-threads" => pids(Launch::new(size).threads()),
        "pids-in-processes" => pids(Launch::new(size).processes()),
        "pids-elsewhere" => elsewhere(|| pids(Launch::new(2))),
        "forced-elsewhere" => elsewhere(|| pids(Launch::new(2).processes())),
        "nested" => nested(),
        "forced-nested" => launch(2, |_| Launch::new(2).processes().run(|_| Ok(())).map_err(say)),
        "ring" => launch(size, ring),
        "shape" => shape(Launch::new(size)),
        "shape-off" => shape(Launch::new(size).tune_cache(TuneCache::Off)),
        "many-values" => many_values(size),
        "bad" => bad(&args[0]),
        "lost" => losses::lost(&args[0]),
        "lost-in-call" => losses::lost_in_call(),
        "killed-in" => collectives::killed(&args[0], number(1).map(|us| us as u64)),
        "killed-helping" => collectives::killed_helping(size, number(1).unwrap_or(0)),
        "refused" => collectives::refused(&args[0]),
        "refused-lent" => collectives::refused_lent(),
        "any" => losses::any(size, args),
        "deaf" => losses::deaf(&args[0]),
        "names" => names(size),
        "diverge" => diverge(&args[0]),
        "stopped" => stopped(),
        "wait" => wait(size),
        "needs" => needs(size, number(1).unwrap()),
        "rounds" => rounds(size, args.get(1).map(|bytes| bytes.parse().unwrap())),
        "owes" => owes(size),
        "flood" => hosts::flood(&args[0]),
        "leave-early" => hosts::leave_early(number(1).unwrap_or(0)..size),
        "over-hosts" => {
            let rounds = number(2).unwrap()..number(3).unwrap();
            over_hosts::all_kinds(&args[0], args[1].parse().unwrap(), rounds)
        }
        "left" => left(),
        "grandchild" => grandchild(),
        "starts-others" => starts_others(),
        "crash-late" => crash_late(),
        "echo" => echo(size),
        "lines" => lines(size),
        "writes-on" => writes_on(size),
        "pours" => pours(size),
        "signals" => signals(size),
        "returns" => returns(),
        "own-threads" => own_threads(),
        other => Err(Error::other(format!("no part {other}"))),
    }
}

/// Prints how many messages rank 0 sends in a broadcast. (With memory that all see, it would write once and send none.)
fn shape(launch: Launch) -> Result<()> {
    launch.heap_bytes(0).run(|world| {
        let sent = |comm: &Comm| -> Result<u64> {
            let before = comm.stats()?.messages_sent;
            comm.broadcast(0, &mut [7_u64; 512])?;
            Ok(comm.stats()?.messages_sent - before)
        };
        let all = sent(world)?;
        let child = sent(&world.dup()?)?;
        let half = sent(&world.split(world.rank() as u32 / 2, 0)?)?;
        world.set_tree(Tree::Flat);
        let flat = sent(world)?;
        if world.rank() == 0 {
            print(format_args!(
                "world {all}, its child {child}, half of it {half}, as the program says {flat}"
            ));
        }
        Ok(())
    })
}

fn say(error: Error) -> Error {
    Error::other(format!("said: {error}"))
}

/// Prints a line in one piece.
pub fn print(line: impl std::fmt::Display) {
    let _ = stdout().lock().write_all(format!("{line}\n").as_bytes());
}

fn values(size: usize, count: &str) -> Result<()> {
    print("before");
    OpenOptions::new().append(true).create(true).open(count)?.write_all(b"x")?;
    let changed = Mutex::new(0);
    let values = Launch::new(size).collect(|world| {
        *changed.lock().unwrap() += 1;
        print(format_args!("in {}", world.rank()));
        let text = format!("rank {}\n\u{1f980}", world.rank());
        Ok((world.rank(), f64::NAN, text, vec![0.1; world.rank()], Some(world.size())))
    })?;
    print(format_args!("after {}", changed.lock().unwrap()));
    for (rank, (own, nan, text, numbers, of)) in values.into_iter().enumerate() {
        assert!(own == rank && nan.is_nan() && numbers == vec![0.1; rank] && of == Some(size));
        assert_eq!(text, format!("rank {rank}\n\u{1f980}"));
    }
    Ok(())
}

/// Each launch depends on the results of earlier ones. One of them fails.
fn launches() -> Result<()> {
    print("start");
    let ranks = Launch::new(2).collect(|world| {
        print("first");
        Ok(world.rank() as u64 + 10)
    })?;
    print(format_args!("{ranks:?}"));
    let failed = launch(3, |world| match world.rank() {
        1 => Err(Error::other("on purpose")),
        _ => Ok(()),
    });
    let message = failed.expect_err("rank 1 fails").to_string();
    print(&message);
    let sizes = Launch::new(ranks[1] as usize - 7).collect(|world| {
        print("third");
        Ok((world.size(), message.clone()))
    })?;
    print(format_args!("{sizes:?}"));
    assert!(sizes.iter().all(|(size, text)| *size == 4 && *text == message));
    launch(1, |_| {
        print("fourth");
        Ok(())
    })
}

/// A launch of threads comes first. It is not run again in the processes of the second launch.
fn mixed() -> Result<()> {
    let threads = Launch::new(2).threads().collect(|world| {
        print("thread");
        Ok(world.rank() + 5)
    })?;
    let processes = Launch::new(2).collect(|_| Ok((std::process::id(), threads.clone())))?;
    assert!(processes.iter().all(|(_, seen)| *seen == threads));
    assert_ne!(processes[0].0, processes[1].0);
    Ok(())
}

/// Prints whether the ranks are processes of their own.
fn pids(launch: Launch) -> Result<()> {
    let pids = launch.collect(|_| Ok(std::process::id()))?;
    let own = std::process::id();
    let mut others: Vec<u32> = pids.iter().copied().filter(|pid| *pid != own).collect();
    others.sort_unstable();
    others.dedup();
    match others.len() {
        0 => print("threads"),
        different if different == pids.len() => print("processes"),
        _ => print(format_args!("{own}: {pids:?}")),
    }
    Ok(())
}

fn elsewhere(work: fn() -> Result<()>) -> Result<()> {
    std::thread::spawn(work).join().expect("no panic")
}

fn nested() -> Result<()> {
    let all = Launch::new(2).collect(|_| {
        let inner = Launch::new(3).collect(|world| {
            ring(world)?;
            Ok(std::process::id())
        })?;
        assert_eq!(inner, [std::process::id(); 3]);
        Ok(inner[0])
    })?;
    assert_ne!(all[0], all[1]);
    // The inner launch did not count as one of the job's.
    launch(2, |world| {
        print(format_args!("second {}", world.rank()));
        Ok(())
    })
}

/// Each rank sends to the next, past barriers.
fn ring(world: &Comm) -> Result<()> {
    let next = (world.rank() + 1) % world.size();
    for round in 0..20u64 {
        world.send(next, 0, &[round])?;
        world.barrier()?;
        let message = world.recv::<u64>(Source::Any, 0)?;
        assert_eq!(message.data, [round]);
    }
    world.barrier()?.wait()
}

fn many_values(size: usize) -> Result<()> {
    let values = Launch::new(size).collect(|world| Ok(vec![world.rank() as u32; 1 << 18]))?;
    for (rank, value) in values.iter().enumerate() {
        assert!(value.len() == 1 << 18 && value.iter().all(|&word| word == rank as u32));
    }
    Ok(())
}

/// Rank 1 of 3 fails in some way. The others need it, or each other if it exits.
fn bad(how: &str) -> Result<()> {
    launch(3, |world| {
        if how == "kill-in-call" && world.rank() != 1 {
            // As a library reports it whose programs know calls of its own.
            let error = world.recv::<u8>(1, 0).expect_err("it is killed");
            let message = format!("a call: {error}");
            return Err(Error::Reported { message, culprit: error.culprit() });
        }
        if world.rank() != 1 {
            let source = if how == "leave" { 2 - world.rank() } else { 1 };
            return world.recv::<u8>(source, 0).map(drop);
        }
        match how {
            "leave" => exit(0),
            "error" => Err(Error::other("its own")),
            "panic" => panic!("its own"),
            "exit" => exit(3),
            "exit0" => exit(0),
            "abort" => std::process::abort(),
            "kill" | "kill-in-call" => die(),
            "early" => Ok(()),
            other => panic!("no way {other}"),
        }
    })
}

/// Checks that ranks have the process name and the first argument of their program; prints the
/// name.
fn names(size: usize) -> Result<()> {
    let listed = || std::fs::read_to_string("/proc/self/comm");
    let called = || std::env::args_os().next().map(|name| format!("{name:?}"));
    let names = Launch::new(size).collect(|_| Ok((listed()?, called())))?;
    let own = (listed()?, called());
    assert!(names.iter().all(|name| *name == own), "{own:?}: {names:?}");
    print(own.0.trim_end());
    Ok(())
}

/// The processes of ranks behave differently from the first process.
fn diverge(how: &str) -> Result<()> {
    let is_rank = std::env::var_os(JOB_VARIABLE).is_some();
    match (how, is_rank) {
        ("exit", true) => exit(5),
        ("return", true) => Ok(()),
        ("size", true) => launch(7, |_| Ok(())),
        ("kill", true) => die(),
        _ => launch(2, |_| Ok(())),
    }
}

/// Rank 1 prints its process id. All meet in barriers once rank 0 has read a line.
fn stopped() -> Result<()> {
    launch(3, |world| {
        if world.rank() == 1 {
            print(std::process::id());
        }
        if world.rank() == 0 {
            stdin().lock().read_line(&mut String::new())?;
        }
        for _ in 0..100 {
            world.barrier()?.wait()?;
        }
        ring(world)
    })
}

/// All ranks print their process ids, and then wait for ever.
fn wait(size: usize) -> Result<()> {
    launch(size, |world| {
        print(std::process::id());
        let next = (world.rank() + 1) % world.size();
        world.recv::<u8>(next, 0).map(drop)
    })
}

/// All ranks need one rank, which does nothing, and no other.
fn needs(size: usize, needed: usize) -> Result<()> {
    launch(size, |world| {
        world.barrier()?.wait()?;
        print(std::process::id());
        while world.rank() == needed {
            std::thread::park();
        }
        world.recv::<u8>(needed, 0).map(drop)
    })
}

/// All ranks exchange messages in rounds, until rank 0 reads a line. Rank 0 regularly prints the
/// round.
fn rounds(size: usize, payload_bytes: Option<usize>) -> Result<()> {
    launch(size, |world| {
        world.barrier()?.wait()?;
        print(format_args!("{} {}", world.rank(), std::process::id()));
        let told = Arc::new(AtomicBool::new(false));
        if world.rank() == 0 {
            let told = Arc::clone(&told);
            std::thread::spawn(move || {
                let _ = stdin().lock().read_line(&mut String::new());
                told.store(true, Ordering::Relaxed);
            });
        }
        let result = play_rounds(world, &told, payload_bytes);
        if let Err(error) = &result {
            print(format_args!("rank {}: {error}", world.rank()));
        }
        let rounds = result?;
        let (rank, stats) = (world.rank(), world.stats()?);
        let (exposed, read) = (stats.payloads_exposed, stats.payloads_read);
        print(format_args!("rank {rank} has exposed {exposed} and read {read} in {rounds}"));
        Ok(())
    })
}

fn play_rounds(world: &Comm, told: &AtomicBool, payload_bytes: Option<usize>) -> Result<u64> {
    let (rank, size) = (world.rank(), world.size());
    // Short and long eager messages, and one by rendezvous.
    let usual = [1, 100, 3000, world.config().eager_bytes / 8 + 1];
    let lengths = payload_bytes.map_or(usual.to_vec(), |bytes| vec![bytes / 8]);
    let mut said = Instant::now();
    let mut round = 0;
    loop {
        for &len in &lengths {
            let request = world.isend((rank + 1) % size, 0, &vec![round; len])?;
            let from = (rank + size - 1) % size;
            assert_eq!(world.recv::<u64>(from, 0)?.data, vec![round; len]);
            request.wait()?;
        }
        world.barrier()?;
        let stop = world.all_reduce(&[u8::from(told.load(Ordering::Relaxed))], |a, b| a.max(b))?;
        if stop == [1] {
            return Ok(round + 1);
        }
        if rank == 0 && said.elapsed() > Duration::from_millis(50) {
            print(format_args!("round {round}"));
            said = Instant::now();
        }
        round += 1;
    }
}

/// Rank 0 ends its world after its sends, and the receiver takes the messages long after.
fn owes(size: usize) -> Result<()> {
    const MESSAGES: u64 = 100;
    launch(size, |world| {
        match world.rank() {
            0 => {
                for message in 0..MESSAGES {
                    world.send(1, 0, &[message; 100])?;
                }
                print(format_args!("all is sent"));
            }
            1 => {
                std::thread::sleep(Duration::from_secs(1));
                for message in 0..MESSAGES {
                    assert_eq!(world.recv::<u64>(0, 0)?.data, [message; 100]);
                }
                print(format_args!("all has come"));
            }
            _ => {}
        }
        Ok(())
    })
}

/// Counts the open files between launches.
fn left() -> Result<()> {
    let open = || std::fs::read_dir("/proc/self/fd").map(Iterator::count);
    launch(4, ring)?;
    let before = open()?;
    for _ in 0..5 {
        launch(4, ring)?;
        let _ = launch(2, |world| if world.rank() == 1 { die() } else { Ok(()) });
    }
    assert_eq!(open()?, before);
    // Programs that a rank starts do not inherit the files of its job.
    let inherited = || -> Result<String> {
        let output = Command::new("ls").arg("/proc/self/fd").output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let ranks = Launch::new(2).collect(|_| inherited())?;
    assert_eq!(ranks, [inherited()?, inherited()?]);
    Ok(())
}

/// Starts a program that starts ranks.
fn other() -> Result<()> {
    let program = std::env::current_exe()?;
    let output = Command::new(program).args([PART, "pids", "3"]).output()?;
    assert_eq!(String::from_utf8_lossy(&output.stdout), "processes\n", "{output:?}");
    Ok(())
}

/// Before its launch and in it, a rank starts programs, which are no ranks of its job.
fn grandchild() -> Result<()> {
    other()?;
    launch(2, |world| {
        other()?;
        ring(world)
    })
}

/// As [`grandchild`], in and after the launch of a job of `runahead run`.
fn starts_others() -> Result<()> {
    launch(2, |world| {
        other()?;
        ring(world)
    })?;
    other()?;
    print("after");
    Ok(())
}

/// Rank 1 crashes after it has handed its value over, and rank 0 runs for longer than the grace.
fn crash_late() -> Result<()> {
    extern "C" fn crash() {
        std::process::abort();
    }
    unsafe extern "C" {
        fn atexit(handler: extern "C" fn()) -> i32;
    }
    let values = Launch::new(2).collect(|world| {
        if world.rank() == 1 {
            // SAFETY: the handler may be called at any time, and does not unwind.
            assert_eq!(unsafe { atexit(crash) }, 0);
        } else {
            std::thread::sleep(Duration::from_secs(3));
        }
        Ok(world.rank())
    })?;
    print(format_args!("{values:?}"));
    Ok(())
}

fn echo(size: usize) -> Result<()> {
    launch(size, |world| {
        let mut text = String::new();
        stdin().lock().read_to_string(&mut text)?;
        print(format_args!("rank {} read {text:?}", world.rank()));
        Ok(())
    })
}

/// Each rank writes more than all pipes between it and the final reader can hold. A write into a
/// pipe with room would succeed although no process will read it.
fn writes_on(size: usize) -> Result<()> {
    launch(size, |world| {
        world.barrier()?.wait()?;
        for _ in 0..1 << 16 {
            stdout().lock().write_all(&[b'x'; 1 << 10])?;
            stdout().lock().write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Each rank writes without end, and when all pipes are full the ranks meet.
fn pours(size: usize) -> Result<()> {
    std::thread::spawn(|| while stdout().write_all(&b"x\n".repeat(1 << 11)).is_ok() {});
    std::thread::sleep(Duration::from_millis(300));
    launch(size, |world| {
        world.barrier()?.wait()?;
        eprintln!("met");
        Ok(())
    })
}

/// Writes lines in small pieces, to both streams.
fn lines(size: usize) -> Result<()> {
    launch(size, |world| {
        world.barrier()?.wait()?;
        for line in 0..50 {
            for piece in [&format!("line {line} "), "of ", &format!("rank {}", world.rank()), "\n"]
            {
                stdout().lock().write_all(piece.as_bytes())?;
                stdout().lock().flush()?;
                eprint!("{piece}");
            }
        }
        Ok(())
    })
}

/// Each rank waits for a signal.
fn signals(size: usize) -> Result<()> {
    let come = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(&come))?;
    launch(size, |_| {
        print("ready");
        while !come.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        print("came");
        Ok(())
    })
}

/// Only the first process continues after a launch, or rank 0 in a job of `runahead run`. Such a
/// job is for one launch.
fn returns() -> Result<()> {
    let ranks = Launch::new(2).collect(|world| Ok((world.rank(), world.size())))?;
    print(format_args!("{ranks:?}"));
    let later = Launch::new(3).collect(|world| {
        ring(world)?;
        Ok((world.rank(), ranks.len()))
    })?;
    print(format_args!("{later:?}"));
    Ok(())
}

/// Launches of threads, by the program's choice, come before and after the launch of the job.
fn own_threads() -> Result<()> {
    let threads = || -> Result<()> {
        let own = Launch::new(2).threads().collect(|_| Ok(std::process::id()))?;
        assert_eq!(own, [std::process::id(); 2]);
        Ok(())
    };
    threads()?;
    launch(2, |world| {
        print(format_args!("{} of {}", world.rank(), world.size()));
        Ok(())
    })?;
    threads()
}
