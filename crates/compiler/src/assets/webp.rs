//! WebP files: the header and the size of the picture.

use super::AssetProblem;

/// Maximum width and height, in pixels.
const MAX_SIDE: u32 = 2048;

/// Checks that the bytes are a WebP picture of a reasonable size.
pub(super) fn check(bytes: &[u8]) -> Result<(), AssetProblem> {
    let (width, height) =
        size(bytes).ok_or_else(|| AssetProblem::whole("this is not a WebP picture".to_owned()))?;
    if width > MAX_SIDE || height > MAX_SIDE {
        let message = format!("the picture is {width} × {height} pixels; at most {MAX_SIDE} × {MAX_SIDE}");
        return Err(AssetProblem::whole(message));
    }
    Ok(())
}

fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize, count: usize| {
        let field = bytes.get(at..at + count)?;
        Some(field.iter().rev().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)))
    };
    let declared = usize::try_from(number(4, 4)?).ok()?;
    if bytes.get(..4)? != b"RIFF" || bytes.get(8..12)? != b"WEBP" || declared > bytes.len() {
        return None;
    }
    match bytes.get(12..16)? {
        b"VP8X" => Some((number(24, 3)? + 1, number(27, 3)? + 1)),
        b"VP8L" => {
            let sides = number(21, 4)?;
            (number(20, 1)? == 0x2f).then_some(((sides & 0x3fff) + 1, (sides >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some((number(26, 2)? & 0x3fff, number(28, 2)? & 0x3fff)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lossless(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"RIFF\x11\0\0\0WEBPVP8L\x05\0\0\0\x2f".to_vec();
        bytes.extend(((width - 1) | ((height - 1) << 14)).to_le_bytes());
        bytes
    }

    #[test]
    fn only_webp_of_a_reasonable_size_is_accepted() {
        assert!(check(&lossless(100, 80)).is_ok());
        assert!(check(&lossless(4000, 80)).is_err());
        assert!(check(b"GIF89a").is_err());
        assert!(check(&lossless(100, 80)[..18]).is_err());
        assert_eq!(size(&lossless(100, 80)), Some((100, 80)));
    }
}
