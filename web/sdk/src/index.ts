/** Client for Intermezzo servers. Start with `Client`; a match is a `Match`, which is a store. */
export { Client, type ClientOptions, type Session } from './client.ts';
export { unwrap, type Http, type Schemas } from './http.ts';
export { emptyMatchState, Match, type FollowOptions, type MatchState, type Step, type StepListener } from './match.ts';
export { AccountConnection } from './account-connection.ts';
export { isProblem, ProblemError, type Code, type Problem } from './problem.ts';
export { applyPatch, PatchError, type Operation } from './patch.ts';
export { checkChain, type ChainCheck, type LogEntry, type LogInput, type MatchLog } from './hash-chain.ts';
export { commitmentOf, viewTextHash } from './hashes.ts';
export { viewHash } from './view-hash.ts';
export { Store, type Readable } from './store.ts';
export type { ConnectionStatus } from './connection.ts';
export type { ActionRequest, Bank, Control, Notice, Seated } from './frames.ts';
export type * from './view.ts';
