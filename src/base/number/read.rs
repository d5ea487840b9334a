//! Decimal numbers in texts.

use std::str::FromStr;

use rustc_apfloat::Float;

use crate::base::number::{Number, X87};

/// The number at the start of a text.
pub(crate) fn prefix(text: &[u8]) -> Number {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let whole = leading_digits(digits);
    let fraction = match digits.get(whole.len()..) {
        Some([b'.', rest @ ..]) => leading_digits(rest),
        _ => &[],
    };
    let number = if fraction.is_empty() && whole.len() <= 18 {
        Number::Int(
            whole
                .iter()
                .fold(0i64, |n, &digit| n * 10 + i64::from(digit - b'0')),
        )
    } else {
        let mut decimal = String::with_capacity(whole.len() + fraction.len() + 3);
        decimal.push('0');
        decimal.extend(whole.iter().map(|&b| char::from(b)));
        decimal.push('.');
        decimal.extend(fraction.iter().map(|&b| char::from(b)));
        if fraction.is_empty() {
            decimal.push('0');
        }
        let long = X87::from_str(&decimal).unwrap_or(X87::ZERO);
        Number::Long(long)
    };
    if negative { number.negated() } else { number }
}

fn leading_digits(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}
