//! Calls unleash-api-client, unmodified: one context per input line, one output line of answers.

use std::collections::BTreeMap;
use std::io::{stdin, stdout, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use unleash_api_client::client::{ClientBuilder, FeatureKey};
use unleash_api_client::context::Context;

/// The client requires an enumeration, although flags are requested by name.
#[allow(non_camel_case_types, dead_code)]
#[derive(Debug, Clone, Copy, FeatureKey)]
enum Named {
    none,
}

#[derive(Deserialize)]
struct Asked {
    names: Vec<String>,
    context: Context,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().collect();
    let client = Arc::new(
        ClientBuilder::default()
            .interval(1000)
            .enable_string_features()
            .into_client::<Named>(&given[1], &given[4], "one", Some(given[2].clone()))?,
    );
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(client.register())?;
    let polling = client.clone();
    runtime.spawn(async move { polling.poll_for_updates().await });
    while client.cached_state().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    for line in stdin().lock().lines() {
        let asked: Asked = serde_json::from_str(&line?)?;
        let mut answers = BTreeMap::new();
        for name in &asked.names {
            if client.is_enabled_str(name, Some(&asked.context), false) {
                let variant = client.get_variant_str(name, &asked.context);
                answers.insert(name, variant.enabled.then_some(variant.name));
            }
        }
        println!("{}", serde_json::to_string(&answers)?);
        stdout().flush()?;
    }
    Ok(())
}
