/** Plays on an Intermezzo server. Start with `Client`; a match is a `Match`, which is a store. */
export { Client, type Session, type Settings } from './client.ts';
export { need, type Http, type Schemas } from './http.ts';
export { Match, unknownMatch, type As, type MatchState, type Step, type StepListener } from './match.ts';
export { Lounge } from './lounge.ts';
export { Refused, isProblem, type Code, type Problem } from './problem.ts';
export { patched, PatchError, type Operation } from './patch.ts';
export { checkChain, type Chained, type ChainedLog, type LogEntry, type LogInput } from './chain.ts';
export { commitmentOf, viewHash } from './hash.ts';
export { Store, type Readable } from './store.ts';
export type { LineStatus } from './line.ts';
export type { ActionWish, Bank, Control, Notice, Seated } from './wire.ts';
export type * from './game.ts';
