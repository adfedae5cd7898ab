//! What programs run on, and what becomes of them there.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use runahead::internals::message::SIGNAL;
use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::threads::{self, ThreadsNic};
use runahead::internals::verbs::Nic;
use runahead::launch::run_on;
use runahead::{Config, Launch, Ordering};

use super::oracle::{Log, check};
use super::planted::{Mistake, Planted};
use super::play::{Witness, play};
use super::program::Program;

/// A run that takes longer hangs. The longest that any takes is a hundredth of it.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// What the ranks are, and what lies between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Net {
    /// Threads, on the network of this host: on Linux, the memory that processes would share.
    Host,
    /// Threads, on the network for threads.
    Threads,
    /// The same, where everything is late, so that queues overtake one another.
    Delayed,
    /// The same, with the board in memory.
    DelayedBoard,
    /// As `Delayed`, and signals are lost, repeated and reordered.
    Lossy,
    /// Processes.
    #[cfg(target_os = "linux")]
    Processes,
}

impl Net {
    /// Whether arrival respects causality across queues.
    fn is_causal(self) -> bool {
        !matches!(self, Net::Delayed | Net::DelayedBoard | Net::Lossy)
    }
}

/// What became of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Blocking barriers allow all that its ranks saw.
    Right,
    /// They do not, or a rank has failed.
    Wrong(String),
    /// It has not ended by the deadline. Its threads are left to themselves.
    Hung,
}

/// How a program is run.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub net: Net,
    pub ordering: Ordering,
    /// A mistake that the network makes at rank 0. (On the network for threads.)
    pub mistake: Mistake,
    /// Whether what is sent after a barrier is looked at as it comes, with what ranks share besides.
    pub witnessed: bool,
    pub deadline: Duration,
}

impl Setup {
    pub fn on(net: Net) -> Setup {
        let ordering = Ordering::default();
        Setup { net, ordering, mistake: Mistake::None, witnessed: true, deadline: DEADLINE }
    }

    /// Runs the program once and says what became of it.
    pub fn run(self, program: &Program) -> Outcome {
        #[cfg(target_os = "linux")]
        if self.net == Net::Processes {
            return super::processes::run(program, self.deadline);
        }
        let (tell, told) = channel();
        let whole = Arc::new(program.clone());
        let job = move || {
            let result =
                self.logs(&whole).and_then(|logs| check(&whole, &logs, self.net.is_causal()));
            // Nobody listens any more after the deadline.
            let _ = tell.send(result);
        };
        std::thread::spawn(job);
        match told.recv_timeout(self.deadline) {
            Ok(Ok(())) => Outcome::Right,
            Ok(Err(wrong)) => Outcome::Wrong(wrong),
            Err(RecvTimeoutError::Timeout) => Outcome::Hung,
            Err(RecvTimeoutError::Disconnected) => Outcome::Wrong("the check has panicked".into()),
        }
    }

    /// What the ranks did and saw; Err if one has failed. Waits for ever if they do.
    pub fn logs(self, program: &Program) -> Result<Vec<Log>, String> {
        let size = program.size();
        let config = Config { ordering: self.ordering, ..program.shape.config(size) };
        let host = || Launch::new(size).options(config.clone()).connect();
        let fabric =
            || Launch::new(size).options(config.clone()).fabric().map_err(|e| e.to_string());
        let threads = || threads::connect(size, &fabric()?).map_err(|e| e.to_string());
        let plan = FaultPlan {
            seed: program.seed,
            max_delay_ticks: [3, 20, 60][program.seed as usize % 3],
            ..FaultPlan::default()
        };
        let lossy = FaultPlan {
            lossy: vec![SIGNAL],
            drop_per_mille: 60,
            duplicate_per_mille: 150,
            ..plan.clone()
        };
        let faulty = |plan: &FaultPlan| -> Result<Vec<Fault<ThreadsNic>>, String> {
            Ok(threads()?.into_iter().map(|nic| Fault::new(nic, plan.clone())).collect())
        };
        match self.net {
            _ if self.mistake != Mistake::None => {
                let wrong = |(rank, nic)| {
                    let mistake = if rank == 0 { self.mistake } else { Mistake::None };
                    Planted::new(nic, mistake, Arc::new(AtomicBool::new(false)), Arc::default())
                };
                self.run_on(
                    threads()?.into_iter().enumerate().map(wrong).collect(),
                    &config,
                    program,
                )
            }
            Net::Host => self.run_on(host().map_err(|e| e.to_string())?, &config, program),
            Net::Threads => self.run_on(threads()?, &config, program),
            Net::Delayed => self.run_on(faulty(&plan)?, &config, program),
            Net::DelayedBoard => {
                let nics = faulty(&plan)?.into_iter().map(Fault::with_shared_words).collect();
                self.run_on(nics, &config, program)
            }
            Net::Lossy => self.run_on(faulty(&lossy)?, &config, program),
            #[cfg(target_os = "linux")]
            Net::Processes => Err("processes are run elsewhere".into()),
        }
    }

    fn run_on<N: Nic + Send>(
        self,
        nics: Vec<N>,
        config: &Config,
        program: &Program,
    ) -> Result<Vec<Log>, String> {
        let witness = self.witnessed.then(|| Witness::new(program));
        run_on(nics, config, |world| play(world, program, witness.as_ref()))
            .map_err(|e| e.to_string())
    }
}
