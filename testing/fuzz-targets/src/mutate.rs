//! Seeded mutations, for toolchains without libFuzzer.

use intermezzo_simulator::Random;

const SIGNS: &[u8] = b"{}[]()<>:,-?!&*#|%@'\"\\ \n~=.+/0d\xC3\xFF\x00\x7F";

/// Changes some bytes of a case, and sometimes inserts a piece of another case.
pub fn mutate(data: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.index(data.len() + 1);
        let byte = match random.below(2) {
            0 => random.below(256) as u8,
            _ => *random.pick(SIGNS),
        };
        match random.below(8) {
            _ if at == data.len() => data.push(byte),
            0 => data.insert(at, byte),
            1 => drop(data.remove(at)),
            2 => data.truncate(at.max(1)),
            3 => data[at] ^= 1 << random.below(8),
            4 => {
                let end = (at + random.index(40)).min(data.len());
                let piece = data[at..end].to_vec();
                data.splice(at..at, piece);
            }
            5 if !other.is_empty() => {
                let from = random.index(other.len());
                let to = (from + random.index(60)).min(other.len());
                data.splice(at..at, other[from..to].iter().copied());
            }
            _ => data[at] = byte,
        }
    }
}
