//! Pictures to start from when none is given.

use clap::ValueEnum;

use super::pgm::{Encoding, Picture};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Start {
    /// The upper edge is hot, all else is cold
    HotEdge,
    /// Hot spots on a cold plate
    Spots,
}

impl Start {
    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Start::HotEdge => "hot edge",
            Start::Spots => "spots",
        }
    }

    /// The picture, in this size.
    pub fn picture(self, width: usize, height: usize) -> Picture {
        const WHITE: u16 = u8::MAX as u16;
        let mut samples = vec![0; width * height];
        match self {
            Start::HotEdge => samples[..width].fill(WHITE),
            Start::Spots => {
                for (spot_x, spot_y) in [(0.2, 0.3), (0.5, 0.75), (0.8, 0.25)] {
                    let side = width.min(height) as f64;
                    let is_hot = |x: usize, y: usize| {
                        let across = x as f64 + 0.5 - spot_x * width as f64;
                        let down = y as f64 + 0.5 - spot_y * height as f64;
                        across.hypot(down) < side / 8.0
                    };
                    for (at, sample) in samples.iter_mut().enumerate() {
                        if is_hot(at % width, at / width) {
                            *sample = WHITE;
                        }
                    }
                }
            }
        }
        Picture { encoding: Encoding::Raw, width, height, white: WHITE, samples }
    }
}
