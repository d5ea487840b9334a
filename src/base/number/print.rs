//! Exact `%.18Lg`: apfloat's own printer truncates before it rounds, so digits are made here.

use std::cmp::Ordering;

use rustc_apfloat::Float;

use crate::base::number::X87;

/// Significant digits.
const DIGITS: i32 = 18;
/// 10^17 and 10^18 bound a significand of 18 digits.
const LEAST: u128 = 100_000_000_000_000_000;
const LIMIT: u128 = 1_000_000_000_000_000_000;

/// Significand and exponent of a finite number: `|x| = significand * 2^exponent`.
pub(crate) fn parts(x: X87) -> (u64, i32) {
    let bits = x.to_bits();
    let significand = bits as u64;
    let biased = ((bits >> 64) & 0x7fff) as i32;
    // Denormal numbers have the exponent of the smallest normal ones.
    (significand, biased.max(1) - 16383 - 63)
}

/// Appends what C's `%.18Lg` prints.
pub(crate) fn append(x: X87, out: &mut Vec<u8>) {
    if x.is_negative() {
        out.push(b'-');
    }
    if x.is_nan() {
        out.extend_from_slice(b"nan");
        return;
    }
    if x.is_infinite() {
        out.extend_from_slice(b"inf");
        return;
    }
    let (significand, exponent) = parts(x);
    if significand == 0 {
        out.push(b'0');
        return;
    }
    let (digits, decimal) =
        short(significand, exponent).unwrap_or_else(|| long(significand, exponent));
    layout(digits, decimal, out);
}

/// The `%g` layout of `digits * 10^(decimal - 17)`, `digits` having exactly 18 digits.
fn layout(digits: u64, decimal: i32, out: &mut Vec<u8>) {
    let mut buffer = [b'0'; DIGITS as usize];
    let mut rest = digits;
    for place in buffer.iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let used = buffer.iter().rposition(|&b| b != b'0').map_or(1, |i| i + 1);
    let digits = buffer.get(..used).unwrap_or(&buffer);
    if (-4..DIGITS).contains(&decimal) {
        if decimal < 0 {
            out.extend_from_slice(b"0.");
            out.extend((decimal..-1).map(|_| b'0'));
            out.extend_from_slice(digits);
            return;
        }
        let whole = decimal as usize + 1;
        if let Some((before, after)) = digits.split_at_checked(whole) {
            out.extend_from_slice(before);
            if !after.is_empty() {
                out.push(b'.');
                out.extend_from_slice(after);
            }
        } else {
            out.extend_from_slice(digits);
            out.extend((digits.len()..whole).map(|_| b'0'));
        }
        return;
    }
    if let Some((first, more)) = digits.split_first() {
        out.push(*first);
        if !more.is_empty() {
            out.push(b'.');
            out.extend_from_slice(more);
        }
    }
    out.push(b'e');
    out.push(if decimal < 0 { b'-' } else { b'+' });
    let magnitude = i64::from(decimal.unsigned_abs());
    if magnitude < 10 {
        out.push(b'0');
    }
    crate::base::value::append_int(magnitude, out);
}

/// A first guess of the decimal exponent: exact or one too small.
fn guess(significand: u64, exponent: i32) -> i32 {
    let binary = exponent + 63 - significand.leading_zeros() as i32;
    // floor(binary * log10(2)) is at most one below floor(log10(x)).
    ((i64::from(binary) * 1_292_913_986) >> 32) as i32
}

/// Digits in 128-bit arithmetic, for numbers from about 0.01 to 2^64.
fn short(significand: u64, exponent: i32) -> Option<(u64, i32)> {
    if !(-70..=0).contains(&exponent) {
        return None;
    }
    let mut decimal = guess(significand, exponent);
    for _ in 0..2 {
        let scale = DIGITS - 1 - decimal;
        let (mut numerator, mut denominator) = (u128::from(significand), 1u128 << -exponent);
        match u32::try_from(scale) {
            Ok(power) if power <= 19 => numerator = numerator.checked_mul(10u128.pow(power))?,
            Err(_) => denominator = denominator.checked_mul(10u128.pow(scale.unsigned_abs()))?,
            Ok(_) => return None,
        }
        let (quotient, rest) = (numerator / denominator, numerator % denominator);
        if quotient >= LIMIT {
            decimal += 1;
            continue;
        }
        if quotient < LEAST {
            return None;
        }
        let up = match rest.cmp(&(denominator - rest)) {
            Ordering::Greater => true,
            Ordering::Equal => quotient % 2 == 1,
            Ordering::Less => false,
        };
        return Some(carried(quotient + u128::from(up), decimal));
    }
    None
}

fn carried(digits: u128, decimal: i32) -> (u64, i32) {
    if digits >= LIMIT {
        (LEAST as u64, decimal + 1)
    } else {
        (digits as u64, decimal)
    }
}

/// Digits by schoolbook arithmetic, for any size.
fn long(significand: u64, exponent: i32) -> (u64, i32) {
    // x = integer * 10^shift, exactly: m * 2^-n = m * 5^n * 10^-n.
    let mut integer = Big::from(significand);
    let shift = if exponent >= 0 {
        integer.shift_left(exponent.unsigned_abs());
        0
    } else {
        let zeros = significand.trailing_zeros().min(exponent.unsigned_abs());
        integer = Big::from(significand >> zeros);
        let mut fives = exponent.unsigned_abs() - zeros;
        let shift = -(fives as i32);
        while fives > 0 {
            let step = fives.min(13);
            integer.multiply(5u32.pow(step));
            fives -= step;
        }
        shift
    };
    let digits = integer.into_digits();
    let decimal = digits.len() as i32 - 1 + shift;
    let head = digits
        .iter()
        .chain(std::iter::repeat(&0))
        .take(DIGITS as usize)
        .fold(0u128, |n, &d| n * 10 + u128::from(d));
    let tail = digits.get(DIGITS as usize..).unwrap_or(&[]);
    let up = match tail.split_first() {
        None => false,
        Some((&first, more)) => match first.cmp(&5) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => more.iter().any(|&d| d != 0) || head % 2 == 1,
        },
    };
    carried(head + u128::from(up), decimal)
}

/// A natural number in 32-bit limbs, least first.
struct Big(Vec<u32>);

impl Big {
    fn from(n: u64) -> Self {
        Big(vec![n as u32, (n >> 32) as u32])
    }

    fn shift_left(&mut self, bits: u32) {
        let mut bits = bits;
        while bits > 0 {
            let step = bits.min(31);
            self.multiply(1 << step);
            bits -= step;
            // Whole limbs at once.
            let limbs = bits / 32;
            if limbs > 0 {
                self.0.splice(0..0, std::iter::repeat_n(0, limbs as usize));
                bits -= limbs * 32;
            }
        }
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Decimal digits, most significant first, without leading zeros.
    fn into_digits(mut self) -> Vec<u8> {
        let mut reversed = Vec::with_capacity(self.0.len() * 10);
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        while !self.0.is_empty() {
            let mut rest = 0u64;
            for limb in self.0.iter_mut().rev() {
                let value = (rest << 32) | u64::from(*limb);
                *limb = (value / 1_000_000_000) as u32;
                rest = value % 1_000_000_000;
            }
            for _ in 0..9 {
                reversed.push((rest % 10) as u8);
                rest /= 10;
            }
            while self.0.last() == Some(&0) {
                self.0.pop();
            }
        }
        while reversed.last() == Some(&0) {
            reversed.pop();
        }
        reversed.reverse();
        reversed
    }
}
