//! `intermezzo schema`: the JSON Schema of ruleset files, for editors.

use crate::Context;
use crate::failure::{Exit, Failure};

pub(crate) fn run(context: &mut Context) -> Result<Exit, Failure> {
    context.out.line(format_args!("{:#}", intermezzo_compiler::schema()));
    Ok(Exit::Fine)
}
