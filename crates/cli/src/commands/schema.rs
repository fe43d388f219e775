//! `intermezzo schema`: the JSON Schema of ruleset files, for editors, and the documents of the server.

use clap::{Args, ValueEnum};

use crate::Context;
use crate::failure::{Exit, Failure};

#[derive(Args)]
#[command(after_help = "Example:\n  intermezzo schema > ruleset.schema.json")]
pub(crate) struct Schema {
    /// What is described
    #[arg(value_enum, default_value_t = Of::Ruleset)]
    of: Of,
}

#[derive(Clone, Copy, ValueEnum)]
enum Of {
    /// Ruleset files (JSON Schema)
    Ruleset,
    /// The HTTP operations of the server (OpenAPI)
    Openapi,
    /// The WebSocket of the server (AsyncAPI)
    Asyncapi,
}

impl Schema {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let document = match self.of {
            Of::Ruleset => intermezzo_compiler::schema(),
            Of::Openapi => intermezzo_server::openapi_document(),
            Of::Asyncapi => intermezzo_server::asyncapi_document(),
        };
        context.out.line(format_args!("{document:#}"));
        Ok(Exit::Fine)
    }
}
