//! Runs storms: `storm [--seeds N] [--from N] [--nodes N] [--planted NAME] [--seed N [--trace]]`.
fn main() {
    let mut args = std::env::args().skip(1);
    let mut plan = intermezzo_storm::Plan::new(0);
    let (mut from, mut seeds) = (1u64, 10u64);
    while let Some(a) = args.next() {
        match a.as_str() {
            "--trace" => plan.is_traced = true,
            "--from" => from = args.next().unwrap().parse().unwrap(),
            "--seeds" => seeds = args.next().unwrap().parse().unwrap(),
            "--nodes" => plan.nodes = args.next().unwrap().parse().unwrap(),
            _ => panic!(),
        }
    }
    let mut all = intermezzo_storm::Report::default();
    for seed in from..from + seeds {
        let t = std::time::Instant::now();
        let mut r = intermezzo_storm::run(seed, &plan);
        if plan.is_traced {
            for l in &r.trace {
                println!("{l}");
            }
            println!("{}", r.trace_hash);
        }
        if !r.wrong.is_empty() {
            println!("seed {seed} wrong:");
            for w in r.wrong.iter().take(5) {
                println!("   {w}");
            }
        }
        eprintln!("seed {seed} {:?} virtual {:?} matches {}", t.elapsed(), r.virtual_time, r.matches);
        r.trace.clear();
        all.add(r);
    }
    println!("{all}");
}
