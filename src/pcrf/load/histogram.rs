//! Counts of durations, fine for short ones and coarse for long ones.

/// Bits of a duration that are kept: a percentile is at most 1/64 too high.
const BITS: u32 = 6;
const HALF: usize = 1 << BITS;

/// Counts by duration in nanoseconds; the error of a percentile is below 2 %.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    longest: u64,
}

/// The place of a duration: exact below 128, then 64 places for each power of two.
fn place(value: u64) -> usize {
    let length = u64::BITS - value.leading_zeros();
    let shift = length.saturating_sub(BITS + 1);
    shift as usize * HALF + (value >> shift) as usize
}

/// The longest duration of a place.
fn upper(place: usize) -> u64 {
    if place < 2 * HALF {
        return place as u64;
    }
    let shift = place / HALF - 1;
    let kept = (place % HALF + HALF) as u64;
    ((kept + 1) << shift) - 1
}

impl Histogram {
    /// Counts one.
    pub fn add(&mut self, nanoseconds: u64) {
        let place = place(nanoseconds);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
        }
        self.total += 1;
        self.longest = self.longest.max(nanoseconds);
    }

    /// How many.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The longest, in nanoseconds.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// The duration in nanoseconds that this share of all does not exceed; `share` is between 0 and 1.
    pub fn at(&self, share: f64) -> u64 {
        let wanted = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return upper(place).min(self.longest);
            }
        }
        self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_each_other() {
        let mut last = 0;
        for value in 0..100_000_u64 {
            let own = place(value);
            assert!(own == last || own == last + 1, "{value}");
            assert!(upper(own) >= value);
            last = own;
        }
        for value in [1 << 20, u64::from(u32::MAX), 1 << 40, u64::MAX >> 1] {
            let upper = upper(place(value));
            assert!(upper >= value && (upper - value) as f64 <= value as f64 / 64.0);
        }
    }

    #[test]
    fn percentiles() {
        let mut histogram = Histogram::default();
        for value in 1..=1000 {
            histogram.add(value * 1000);
        }
        let near = |share: f64, value: f64| {
            let own = histogram.at(share) as f64;
            assert!(own >= value && own < value * 1.02, "{share}: {own}");
        };
        near(0.5, 500_000.0);
        near(0.99, 990_000.0);
        near(0.999, 999_000.0);
        assert_eq!((histogram.at(1.0), histogram.total()), (1_000_000, 1000));
        assert_eq!(Histogram::default().at(0.5), 0);
    }
}
