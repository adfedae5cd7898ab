//! PGM files: written pictures are read back, and malformed files are errors.

use super::stencil::pgm::{Encoding, PgmError, Picture};

/// Random samples, black and white among them.
pub fn picture(encoding: Encoding, width: usize, height: usize, white: u16) -> Picture {
    let mut source = fastrand::Rng::with_seed((width * height) as u64);
    let mut samples: Vec<u16> = (0..width * height).map(|_| source.u16(..=white)).collect();
    for (sample, value) in samples.iter_mut().skip(1).step_by(4).zip([white, 0, white]) {
        *sample = value;
    }
    Picture { encoding, width, height, white, samples }
}

/// Pictures of all kinds and many shapes.
fn pictures() -> Vec<Picture> {
    let mut pictures = Vec::new();
    for encoding in [Encoding::Plain, Encoding::Raw] {
        for white in [1, 200, 255, 256, 40_000, 65_535] {
            for (width, height) in [(1, 1), (1, 7), (7, 1), (25, 3), (10, 10)] {
                pictures.push(picture(encoding, width, height, white));
            }
        }
    }
    pictures
}

#[test]
fn a_written_picture_is_read_back() {
    for picture in pictures() {
        let bytes = picture.to_bytes();
        assert_eq!(Picture::parse(&bytes).unwrap(), picture);
        if picture.encoding == Encoding::Plain {
            assert!(bytes.split(|&byte| byte == b'\n').all(|line| line.len() <= 70));
        }
    }
}

#[test]
fn pictures_are_read_as_the_format_defines_them() {
    let samples = [0, 1, 2, 300, 4, 65_535];
    let right = |encoding, white| {
        let samples = samples.iter().map(|&sample: &u16| sample.min(white)).collect();
        Picture { encoding, width: 3, height: 2, white, samples }
    };
    let read = |bytes: &[u8]| Picture::parse(bytes).unwrap();
    let plain = b"P2\n# made by hand\n3 2 # wide, high\n\n65535\n0 1 2\n300\t4\r\n65535";
    assert_eq!(read(plain), right(Encoding::Plain, 65_535));
    assert_eq!(read(b"P2 3 2 255 0 1 2 255 4 255#"), right(Encoding::Plain, 255));
    // A comment may stand anywhere, even right behind a number, and ends with its line.
    let commented = b"P2#a\n#b\n3#c\n2#d\r255#e\n0#\n1 2 255 4 255\n# the end";
    assert_eq!(read(commented), right(Encoding::Plain, 255));
    let narrow = b"P5 3 2 255\n\x00\x01\x02\xff\x04\xff";
    assert_eq!(read(narrow), right(Encoding::Raw, 255));
    let wide = b"P5\n3 2\n65535\n\x00\x00\x00\x01\x00\x02\x01\x2c\x00\x04\xff\xff";
    assert_eq!(read(wide), right(Encoding::Raw, 65_535));
    // One white-space byte ends the header. The next byte may be a sample that looks like white
    // space or like the begin of a comment.
    assert_eq!(read(b"P5 1 2 255\n #").samples, [32, 35]);
    assert_eq!(read(b"P5 1 1 256 \x01\x00").samples, [256]);
}

#[test]
fn a_malformed_picture_is_an_error_with_its_byte() {
    let not_pgm = |begin: &str| PgmError::NotPgm { begin: begin.to_owned() };
    let ends = |what| PgmError::Ends { what };
    let word = |at, what, found: &str| PgmError::NotANumber { at, what, found: found.to_owned() };
    let range = |at, what, found: &str, least, largest| {
        let found = found.to_owned();
        PgmError::OutOfRange { at, what, found, least, largest }
    };
    let short = |found| PgmError::TooShort { width: 3, height: 2, found };
    let long = |at| PgmError::TooLong { at };
    let side = 1 << 20;
    let nines = "9".repeat(20);
    for (bytes, error) in [
        (&b""[..], not_pgm("")),
        (b"P", not_pgm("P")),
        (b"P6\n1 1\n255\n\0\0\0", not_pgm("P6\\n...")),
        (b"\x89PNG", not_pgm("\\x89PN...")),
        (b"P23 2 255", not_pgm("P23...")),
        (b"P2", ends("the width")),
        (b"P5 3 # no more", ends("the height")),
        (b"P5 3 2\n", ends("the largest sample")),
        (b"P5 3 2 255", ends("the samples")),
        (b"P2 three 2 255", word(3, "the width", "three")),
        (b"P2 3 -2 255", word(5, "the height", "-2")),
        (b"P2 3 2 2.5", word(7, "the largest sample", "2.5")),
        (b"P2 3 2 9 1 2 x", word(13, "a sample", "x")),
        (b"P2 3 2 9 1 2 \xff", word(13, "a sample", "\\xff")),
        (b"P2 0 2 255", range(3, "the width", "0", 1, side)),
        (b"P2 3 1048577 255", range(5, "the height", "1048577", 1, side)),
        (b"P2 3 2 0", range(7, "the largest sample", "0", 1, 65_535)),
        (b"P5 3 2 65536\n", range(7, "the largest sample", "65536", 1, 65_535)),
        (b"P2 3 2 9 1 2 10 1 1 1", range(13, "a sample", "10", 0, 9)),
        (b"P5 3 2 9\n\x01\x02\x0a\x01\x01\x01", range(11, "a sample", "10", 0, 9)),
        (b"P5 1 1 256\n\x01\x01", range(11, "a sample", "257", 0, 256)),
        (
            b"P2 999999999999999999999999 2 255",
            range(3, "the width", &format!("{nines}..."), 1, side),
        ),
        // A header that promises a large picture allocates nothing.
        (b"P5 1048576 1048576 65535\n", PgmError::TooShort { width: side, height: side, found: 0 }),
        (b"P2 3 2 9", short(0)),
        (b"P2 3 2 9 1 2 3 4 5", short(5)),
        (b"P5 3 2 9\n\x01\x02\x03\x04\x05", short(5)),
        (b"P5 3 2 256\n\0\x01\0\x02\0\x03\0\x04\0\x05\0", short(5)),
        (b"P2 3 2 9 1 2 3 4 5 6 7", long(21)),
        (b"P2 3 2 9 1 2 3 4 5 6 #\n x", long(24)),
        (b"P5 3 2 9\n\x01\x02\x03\x04\x05\x06\n", long(15)),
        (b"P5 1 1 256\n\0\x01\0", long(13)),
        (b"P5 3 2 9#\n\x01\x02\x03\x04\x05\x06", PgmError::NoSpace { at: 8 }),
    ] {
        assert_eq!(Picture::parse(bytes), Err(error), "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_part_of_a_raw_picture_is_an_error() {
    for picture in pictures().into_iter().filter(|picture| picture.encoding == Encoding::Raw) {
        let bytes = picture.to_bytes();
        for len in 0..bytes.len() {
            assert!(Picture::parse(&bytes[..len]).is_err(), "{len} bytes of {picture:?}");
        }
    }
}

#[test]
fn parsing_any_bytes_gives_a_picture_or_an_error() {
    let mut source = fastrand::Rng::with_seed(1);
    let pictures = pictures();
    let mut read = 0;
    for _ in 0..20_000 {
        let mut bytes = pictures[source.usize(..pictures.len())].to_bytes();
        for _ in 0..source.usize(1..4) {
            let at = source.usize(..bytes.len());
            match source.u8(..3) {
                0 => bytes[at] = source.u8(..),
                1 => bytes.truncate(at.max(1)),
                _ => bytes[at] = *source.choice(b" #\n0519P").expect("one of these"),
            }
        }
        if let Ok(picture) = Picture::parse(&bytes) {
            read += 1;
            assert_eq!(picture.samples.len(), picture.width * picture.height);
            assert!(picture.samples.iter().all(|sample| *sample <= picture.white));
            assert_eq!(Picture::parse(&picture.to_bytes()).unwrap(), picture);
        }
    }
    assert!(read > 1000, "too few remained pictures: {read}");
}
