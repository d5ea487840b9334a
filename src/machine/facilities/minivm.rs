//! Accounts of the small voice mail, and counters kept for them.

use std::collections::BTreeMap;

use crate::base::Text;

/// An account: settings by name, such as `fullname`, `email`, `pincode`, `language`, and variables of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    settings: BTreeMap<Text, Text>,
}

impl Account {
    /// Sets an item.
    pub fn set(&mut self, item: &[u8], value: &[u8]) {
        self.settings.insert(Text::from(item), Text::from(value));
    }

    /// An item.
    pub fn get(&self, item: &[u8]) -> Option<&Text> {
        self.settings.get(item)
    }
}

/// All accounts, and counters of accounts and domains.
#[derive(Debug, Clone, Default)]
pub struct Accounts {
    /// By `user@domain`.
    accounts: BTreeMap<Text, Account>,
    /// By account or domain, and name.
    counters: BTreeMap<(Text, Text), u32>,
}

impl Accounts {
    /// Adds the account `user@domain`.
    pub fn add(&mut self, name: &[u8], account: Account) {
        self.accounts.insert(Text::from(name), account);
    }

    /// The account `user@domain`.
    pub fn get(&self, name: &[u8]) -> Option<&Account> {
        self.accounts.get(name)
    }

    /// Whether counters can be kept for this: an account, or the domain of one.
    pub fn counts(&self, owner: &[u8]) -> bool {
        let domain = |name: &Text| {
            let at = name.iter().position(|b| *b == b'@');
            at.and_then(|at| name.get(at + 1..)) == Some(owner)
        };
        self.accounts.contains_key(owner) || self.accounts.keys().any(domain)
    }

    /// A counter; one that was never set is 0.
    pub fn counter(&self, owner: &[u8], name: &[u8]) -> u32 {
        let key = (Text::from(owner), Text::from(name));
        self.counters.get(&key).copied().unwrap_or(0)
    }

    /// Sets a counter.
    pub fn set_counter(&mut self, owner: &[u8], name: &[u8], value: u32) {
        let key = (Text::from(owner), Text::from(name));
        self.counters.insert(key, value);
    }
}
