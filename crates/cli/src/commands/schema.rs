//! `intermezzo schema`: prints the JSON Schema of ruleset files, or the API documents of the server.

use clap::{Args, ValueEnum};

use crate::Context;
use crate::failure::{CliError, ExitStatus};

#[derive(Args)]
#[command(after_help = "Example:\n  intermezzo schema > ruleset.schema.json")]
pub(crate) struct SchemaArgs {
    /// Document to print
    #[arg(value_enum, default_value_t = SchemaKind::Ruleset)]
    kind: SchemaKind,
}

#[derive(Clone, Copy, ValueEnum)]
enum SchemaKind {
    /// Ruleset files (JSON Schema)
    Ruleset,
    /// Scenario files (JSON Schema)
    Scenario,
    /// HTTP API of the server (OpenAPI)
    Openapi,
    /// WebSocket protocol of the server (AsyncAPI)
    Asyncapi,
}

impl SchemaArgs {
    pub(crate) fn run(self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let document = match self.kind {
            SchemaKind::Ruleset => intermezzo_compiler::schema(),
            SchemaKind::Scenario => intermezzo_compiler::scenario_schema(),
            SchemaKind::Openapi => intermezzo_server::openapi_document(),
            SchemaKind::Asyncapi => intermezzo_server::asyncapi_document(),
        };
        context.out.line(format_args!("{document:#}"));
        Ok(ExitStatus::Success)
    }
}
