//! Numbers of `$[ ]`: recorded `%.18Lg` texts, and laws that hold for all.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use proptest::prelude::*;
use strowger::base::Number;
use strowger::base::number::functions;

fn read(text: &str) -> Number {
    Number::read(text.as_bytes())
}

fn shown(number: Number) -> String {
    let mut out = Vec::new();
    number.append_to(&mut out);
    String::from_utf8(out).unwrap()
}

/// Recorded with Asterisk (x86-64, glibc 2.36); see `tests/data/corpus/language`.
#[test]
fn recorded_texts() {
    for (a, operator, b, expected) in [
        ("1", '/', "3", "0.333333333333333333"),
        ("2", '/', "3", "0.666666666666666667"),
        ("0.1", '+', "0.2", "0.3"),
        ("1.1", '*', "1.1", "1.21"),
        ("999999999999999999", '+', "1", "1e+18"),
        ("18446744073709551615", '+', "0", "1.84467440737095516e+19"),
        ("9223372036854775807", '+', "1", "9.22337203685477581e+18"),
        (
            "9223372036854775807",
            '*',
            "9223372036854775807",
            "8.50705917302346158e+37",
        ),
        ("123456789012345678.5", '+', "0", "123456789012345678"),
        ("123456789.123456789", '+', "0", "123456789.123456789"),
        ("1", '/', "10000", "0.0001"),
        ("1", '/', "100000", "1e-05"),
        ("1", '/', "30000", "3.33333333333333333e-05"),
        ("1", '/', "1024", "0.0009765625"),
        (
            "1700000000.123",
            '-',
            "1699999999.456",
            "0.667000000015832484",
        ),
        ("4050", '%', "96.791", "81.5689999999999999"),
        ("8961086583610051989", '/', "17.3761", "515713340945899942"),
        ("100000000000000000000", '%', "7", "2"),
        ("-7", '%', "3", "-1"),
        ("7.5", '%', "2", "1.5"),
        ("0", '*', "-1", "-0"),
        ("0.000000000000000000001", '*', "3", "3e-21"),
    ] {
        let (x, y) = (read(a), read(b));
        let result = match operator {
            '+' => x.plus(y),
            '-' => x.minus(y),
            '*' => x.times(y),
            '/' => x.over(y),
            _ => x.fmod(y),
        };
        assert_eq!(shown(result), expected, "{a} {operator} {b}");
    }
}

#[test]
fn ends_of_the_range() {
    let large = functions::pow(Number::Int(2), Number::Int(16_383));
    assert_eq!(shown(large), "5.94865747678615883e+4931");
    assert_eq!(shown(large.times(Number::Int(2))), "inf");
    let small = functions::pow(Number::Int(2), Number::Int(-16_445));
    assert_eq!(shown(small), "3.6451995318824746e-4951");
    assert_eq!(shown(small.over(Number::Int(2))), "0");
    assert_eq!(shown(read(&"9".repeat(5000))), "inf");
    assert_eq!(shown(read(&format!("0.{}1", "0".repeat(6000)))), "0");
    assert_eq!(shown(read("")), "0");
    assert_eq!(shown(read("1.2.3")), "1.2");
    assert_eq!(shown(read(".")), "0");
    assert_eq!(shown(read(" -.5x")), "-0.5");
}

/// What a decimal text of at most 18 digits prints as: itself, shortened.
fn canonical(whole: u64, fraction: &str) -> String {
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        whole.to_string()
    } else {
        format!("{whole}.{fraction}")
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn eighteen_digits_come_back(whole in 1u64..1_000_000_000, fraction in "[0-9]{0,9}") {
        let text = format!("{whole}.{fraction}");
        prop_assert_eq!(shown(read(&text)), canonical(whole, &fraction));
    }

    #[test]
    fn integers_agree_with_128_bits(a in any::<i32>(), b in any::<i32>(), scale in 0u32..32) {
        let a = i64::from(a) << scale;
        let (x, y) = (Number::Int(a), Number::from(i64::from(b)));
        let (a, b) = (i128::from(a), i128::from(b));
        for (result, exact) in [(x.plus(y), a + b), (x.minus(y), a - b), (x.times(y), a * b)] {
            if exact != 0 && exact.abs() < 1_000_000_000_000_000_000 {
                prop_assert_eq!(shown(result), exact.to_string());
            }
        }
        if b != 0 && a % b != 0 {
            prop_assert_eq!(shown(x.fmod(y)), (a % b).to_string());
        }
    }

    #[test]
    fn both_lanes_agree(a in any::<i32>(), b in any::<i32>()) {
        let (a, b) = (i64::from(a), i64::from(b));
        let long = |n: i64| Number::Long(Number::Int(n).long());
        let pairs = [
            (Number::plus as fn(Number, Number) -> Number),
            Number::minus, Number::times, Number::over, Number::fmod,
        ];
        for operation in pairs {
            prop_assert_eq!(
                shown(operation(Number::Int(a), Number::Int(b))),
                shown(operation(long(a), long(b)))
            );
        }
        prop_assert_eq!(Number::Int(a).compared(Number::Int(b)), long(a).compared(long(b)));
    }

    #[test]
    fn printing_is_exact_at_any_size(digits in 1u64..1_000_000_000, exponent in 0i32..4000) {
        // n * 2^e by repeated doubling of a decimal text.
        let two = functions::pow(Number::Int(2), Number::Int(i64::from(exponent)));
        let printed = shown(Number::Int(digits as i64).times(two));
        let mut decimal = digits.to_string().into_bytes();
        for _ in 0..exponent {
            let mut carry = 0;
            for digit in decimal.iter_mut().rev() {
                let doubled = (*digit - b'0') * 2 + carry;
                *digit = b'0' + doubled % 10;
                carry = doubled / 10;
            }
            if carry > 0 {
                decimal.insert(0, b'1');
            }
        }
        let exact = String::from_utf8(decimal).unwrap();
        if exact.len() <= 18 {
            prop_assert_eq!(printed, exact);
        } else {
            let (shown_digits, shown_exponent) = printed.split_once("e+").unwrap();
            let shown_digits: String = shown_digits.chars().filter(char::is_ascii_digit).collect();
            prop_assert_eq!(shown_exponent.parse::<usize>().unwrap() , if shown_digits.starts_with('1') && exact.starts_with('9') { exact.len() } else { exact.len() - 1 });
            let head: u128 = exact[..18].parse().unwrap();
            let got: u128 = format!("{shown_digits:0<18}").parse().unwrap();
            let up = u128::from(exact.as_bytes()[18] >= b'5');
            prop_assert!(got == head + up || got * 10 == head + up || (exact[18..].trim_end_matches('0') == "5" && got == head));
        }
    }
}
