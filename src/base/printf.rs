//! Numbers as C's `printf` writes them.

/// Flags, width and precision of a conversion.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the flags of C are independent"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spec {
    /// `-`: to the left.
    pub left: bool,
    /// `0`: filled with zeros.
    pub zero: bool,
    /// `+`: always with a sign.
    pub plus: bool,
    /// Blank: a blank in place of a plus sign.
    pub blank: bool,
    /// `#`: the alternative form.
    pub alternative: bool,
    /// At least so wide.
    pub width: usize,
    /// Digits, or most characters of a text.
    pub precision: Option<usize>,
}

/// Wider than any value may be; wider fields are cut.
const WIDEST: usize = 8192;

impl Spec {
    /// Fills a text up to the width.
    pub fn pad(&self, text: &[u8]) -> Vec<u8> {
        let fill = vec![b' '; self.width.min(WIDEST).saturating_sub(text.len())];
        if self.left {
            [text, &fill].concat()
        } else {
            [&fill, text].concat()
        }
    }

    /// A number: sign or prefix, then digits, filled with zeros between them where that is wanted.
    fn number(&self, sign: &str, digits: &str, zeros: bool) -> Vec<u8> {
        let length = sign.len() + digits.len();
        let fill = self.width.min(WIDEST).saturating_sub(length);
        if zeros && self.zero && !self.left {
            return format!("{sign}{}{digits}", "0".repeat(fill)).into_bytes();
        }
        self.pad(format!("{sign}{digits}").as_bytes())
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// `%d`.
    pub fn signed(&self, number: i64) -> Vec<u8> {
        let digits = self.digits(&number.unsigned_abs().to_string());
        self.number(self.sign(number < 0), &digits, self.precision.is_none())
    }

    /// `%u`, `%o`, `%x` and `%X`.
    pub fn unsigned(&self, number: u64, conversion: u8) -> Vec<u8> {
        let text = match conversion {
            b'o' => format!("{number:o}"),
            b'x' => format!("{number:x}"),
            b'X' => format!("{number:X}"),
            _ => number.to_string(),
        };
        let mut digits = self.digits(&text);
        let mut prefix = "";
        if self.alternative && number != 0 {
            match conversion {
                b'o' if !digits.starts_with('0') => digits.insert(0, '0'),
                b'x' => prefix = "0x",
                b'X' => prefix = "0X",
                _ => {}
            }
        }
        self.number(prefix, &digits, self.precision.is_none())
    }

    /// Leading zeros up to the precision; 0 with precision 0 is nothing.
    fn digits(&self, text: &str) -> String {
        let precision = self.precision.unwrap_or(1).min(WIDEST);
        if precision == 0 && text == "0" {
            return String::new();
        }
        "0".repeat(precision.saturating_sub(text.len())) + text
    }

    /// `%f`, `%e`, `%g`, `%a` and their capital forms.
    pub fn double(&self, number: f64, conversion: u8) -> Vec<u8> {
        let size = number.abs();
        let precision = self.precision.unwrap_or(6).min(WIDEST);
        let mut digits = if size.is_nan() {
            "nan".to_owned()
        } else if size.is_infinite() {
            "inf".to_owned()
        } else {
            match conversion.to_ascii_lowercase() {
                b'e' => exponent(size, precision),
                b'g' => general(size, precision, self.alternative),
                b'a' => hexadecimal(size, self.precision),
                _ => format!("{size:.precision$}"),
            }
        };
        let mut sign = self.sign(number.is_sign_negative()).to_owned();
        if let Some(rest) = digits.strip_prefix("0x") {
            sign.push_str("0x");
            digits = rest.to_owned();
        }
        if conversion.is_ascii_uppercase() {
            digits.make_ascii_uppercase();
            sign.make_ascii_uppercase();
        }
        self.number(&sign, &digits, size.is_finite())
    }
}

/// `%e` of a number that is not negative: at least two digits of exponent.
fn exponent(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// `%g` of a number that is not negative.
pub fn general(number: f64, precision: usize, alternative: bool) -> String {
    let precision = precision.max(1);
    let scientific = exponent(number, precision - 1);
    let power: i32 = scientific
        .split_once('e')
        .and_then(|(_, power)| power.parse().ok())
        .unwrap_or(0);
    if power < -4 || power >= precision as i32 {
        if alternative {
            return scientific;
        }
        let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{power}", without_zeros(mantissa));
    }
    let decimals = usize::try_from(precision as i32 - 1 - power).unwrap_or(0);
    let text = format!("{number:.decimals$}");
    if alternative {
        text
    } else {
        without_zeros(&text).to_owned()
    }
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// `%a` of a finite number that is not negative.
fn hexadecimal(number: f64, precision: Option<usize>) -> String {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = number.to_bits();
    let mut fraction = bits & FRACTION;
    let biased = (bits >> 52 & 0x7ff) as i32;
    let mut lead = u64::from(biased != 0);
    let power = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    if let Some(digits) = precision.filter(|n| *n < 13) {
        // Rounded to even, the leading digit included.
        let drop = 4 * (13 - digits as u32);
        let all = lead << 52 | fraction;
        let (kept, rest, half) = (all >> drop, all & ((1 << drop) - 1), 1 << (drop - 1));
        let up = rest > half || (rest == half && kept & 1 == 1);
        let all = (kept + u64::from(up)) << drop;
        (lead, fraction) = (all >> 52, all & FRACTION);
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(n) => {
            digits.truncate(n);
            digits.push_str(&"0".repeat(n.saturating_sub(13)));
        }
    }
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_glibc() {
        let spec = Spec::default();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        assert_eq!(text(spec.double(12345.678, b'e')), "1.234568e+04");
        assert_eq!(text(spec.double(100_000.0, b'g')), "100000");
        assert_eq!(text(spec.double(1e-5, b'G')), "1E-05");
        assert_eq!(text(spec.double(-1.5, b'a')), "-0x1.8p+0");
        assert_eq!(general(0.1, 17, false), "0.10000000000000001");
        let spec = Spec {
            zero: true,
            width: 6,
            ..spec
        };
        assert_eq!(text(spec.signed(-42)), "-00042");
        assert_eq!(text(spec.double(f64::INFINITY, b'f')), "   inf");
        let spec = Spec {
            alternative: true,
            precision: Some(0),
            ..Spec::default()
        };
        assert_eq!(text(spec.unsigned(8, b'o')), "010");
        assert_eq!(text(spec.signed(0)), "");
    }
}
