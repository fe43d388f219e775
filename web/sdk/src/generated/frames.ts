// Made by `cargo xtask types` from the server's AsyncAPI document. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What a client sends. */
        ClientFrame: {
            /** @constant */
            type: "hello";
            /**
             * @description A session's token; nobody in particular without one.
             * @default null
             */
            token?: string | null;
            /**
             * @description The match; without one only what concerns the account is told.
             * @default null
             */
            match?: string | null;
            /**
             * @description The version the client has; what came after it follows. Without it the whole view comes.
             * @default null
             */
            since?: number | null;
            /**
             * Format: uint8
             * @description Which of its seats, if the account has several.
             * @default null
             */
            seat?: number | null;
            /**
             * @description Looks on, even if the account has a seat.
             * @default false
             */
            spectate?: boolean;
        } | {
            /** @constant */
            type: "action.submit";
            /** @description Chosen by the client, new for each command: the same id again has the same outcome. */
            commandId: string;
            /**
             * @description The version the client has seen; the command is refused if it is no longer true.
             * @default null
             */
            branchId?: number | null;
            /** @description What to do. */
            action: components["schemas"]["Action"];
        } | {
            /** @constant */
            type: "input.submit";
            /** @description As for actions. */
            commandId: string;
            /** @description Which question. */
            inputId: number;
            /** @description Options by name, label or number, in a list or alone; null for an empty slot; `"pass"` to decline. */
            answers: unknown;
            /**
             * @description As for actions; answers are good as long as their question is open.
             * @default null
             */
            branchId?: number | null;
        } | {
            /** @constant */
            type: "input.draft";
            /** @description As for actions. */
            commandId: string;
            /** @description Which question. */
            inputId: number;
            /** @description As for answers. */
            answers: unknown;
        } | {
            /** @constant */
            type: "system.control";
            /** @description As for actions. */
            commandId: string;
            /** @description What. */
            control: components["schemas"]["Control"];
            /**
             * @description As for actions.
             * @default null
             */
            branchId?: number | null;
        } | {
            /** @constant */
            type: "actions.get";
            /** @description Comes back with the answer. */
            commandId: string;
        } | {
            /** @constant */
            type: "path.get";
            /** @description Comes back with the answer. */
            commandId: string;
            /** @description The question that asks for a path. */
            inputId: number;
            /** @description The beginning, written as an answer. */
            soFar: unknown[];
        } | {
            /** @constant */
            type: "queue.join";
            /** @description Comes back with the answer. */
            commandId: string;
            /** @description The ruleset's id. */
            ruleset: string;
            /**
             * @description Whether to play for stakes.
             * @default false
             */
            stake?: boolean;
        } | {
            /** @constant */
            type: "queue.leave";
            /** @description Comes back with the answer. */
            commandId: string;
            /** @description The ruleset's id. */
            ruleset: string;
        };
        /** @description What to do: an action of the ruleset, or a thing dragged onto another. */
        Action: {
            /** @description The drag. */
            direct_manipulation: components["schemas"]["Drag"];
        } | {
            /** @description The name of the action. */
            type: string;
            /** @description What it is about, by the names of the view: by target, or in order. */
            targets?: unknown;
            /** @description Further choices by name: modes, amounts, the card it is taken with (`card`, `host`). */
            params?: unknown;
        };
        /** @description One thing dragged onto another, both by the names of the view: `#3`, `p0`, `p0.hand`. */
        Drag: {
            /** @description What is dragged. */
            what: string;
            /** @description Where it is dropped. */
            onto: string;
        };
        /**
         * @description What changes a match besides actions and answers.
         *
         *     Kinds that need nothing more are empty objects, not units: only then are unknown fields refused.
         */
        Control: {
            /** @constant */
            kind: "concede";
        } | {
            /** @constant */
            kind: "undo";
        } | {
            /** @constant */
            kind: "consent";
            /** @description Yes or no. */
            agree: boolean;
        } | {
            /** @constant */
            kind: "auto_pass";
            /** @description For how long. */
            until: components["schemas"]["Until"];
            /**
             * @description Not while something is on the stack that others put there.
             * @default false
             */
            stops?: boolean;
        } | {
            /** @constant */
            kind: "ahead";
            /** @description The answers, in order. */
            answers: components["schemas"]["Ahead"][];
        } | {
            /** @constant */
            kind: "teach";
        } | {
            /** @constant */
            kind: "kick";
            /**
             * Format: uint8
             * @description Which.
             */
            seat: number;
            /**
             * @description Why, for the record.
             * @default
             */
            reason?: string;
        } | {
            /** @constant */
            kind: "moderate";
            /**
             * @description Who wins.
             * @default []
             */
            winners?: number[];
            /** @description What becomes of the pot. */
            pot: components["schemas"]["Pot"];
            /**
             * @description Why, for the record.
             * @default
             */
            reason?: string;
        } | {
            /** @constant */
            kind: "pause";
            /**
             * @description Why, for the record.
             * @default
             */
            reason?: string;
        } | {
            /** @constant */
            kind: "resume";
            /**
             * @description Why, for the record.
             * @default
             */
            reason?: string;
        };
        /** @description For how long a seat passes by itself. */
        Until: "off" | "turn" | "always";
        /** @description An answer to a question that may come. */
        Ahead: {
            /**
             * @description The name of the question it is meant for; any, if there is none.
             * @default null
             */
            question?: string | null;
            /** @description As for answers. */
            answer: unknown;
        };
        /** @description What becomes of a pot. */
        Pot: "winners" | "split" | "burn" | "refund";
        /** @description What the server sends. */
        ServerFrame: {
            /** @constant */
            type: "welcome";
            /** @description The version of this protocol. */
            protocol: number;
            /** @description The server's clock, milliseconds since 1970. */
            serverTime: number;
            /** @description The account, if there is one. */
            account?: string | null;
            /** @description The match that is followed from here on. */
            match?: components["schemas"]["Following"] | null;
            /** @description What is taken at most. */
            limits: components["schemas"]["Limits"];
        } | {
            /** @constant */
            type: "event.appended";
            /** @description The match. */
            match: string;
            /** @description The viewer's own version, one more than that of the frame before. */
            version: number;
            /** @description The events the viewer may see, in order: `n`, `event`, `cause`, `payload`. */
            events: unknown[];
            /** @description What else there is to know. */
            notices?: components["schemas"]["Notice"][];
            /**
             * @description Whether the view changes by it. Then the `state.delta` of this version follows, and only who has that has the
             *     version: if the connection breaks in between, ask for what came after the one before.
             */
            changesView?: boolean;
        } | {
            /** @constant */
            type: "state.delta";
            /** @description The match. */
            match: string;
            /** @description The version the view has then. */
            version: number;
            /** @description An RFC 6902 patch. */
            patch: unknown[];
            /** @description Hash of the patched view: 16 hex digits. */
            hash: string;
        } | {
            /** @constant */
            type: "pending.input";
            /** @description The match. */
            match: string;
            /** @description The version they belong to. */
            version: number;
            /** @description The questions, with options and deadlines. */
            prompts: unknown[];
            /** @description Whether the seat passes by itself, if it does. */
            auto?: unknown;
            /** @description Time left in the banks of the seats, if they have any. */
            banks?: components["schemas"]["Bank"][];
            /** @description Whether the match and its clocks stand until a moderator lets them go on. */
            paused?: boolean;
        } | {
            /** @constant */
            type: "priority.changed";
            /** @description The match. */
            match: string;
            /** @description The version it belongs to. */
            version: number;
            /** @description The others that are asked: `seat` and `kind`. */
            others: unknown[];
        } | {
            /** @constant */
            type: "presence";
            /** @description The match. */
            match: string;
            /** @description The seats that have a connection. */
            connected: number[];
        } | {
            /** @constant */
            type: "ack";
            /** @description Which command. */
            commandId: string;
            /** @description The version the viewer had then. */
            version: number;
            /** @description What was asked for, if something was. */
            result?: unknown;
        } | {
            /** @constant */
            type: "error";
            /** @description Which command, where it is known. */
            commandId?: string | null;
            /** @description What is wrong. */
            problem: components["schemas"]["Problem"];
        } | {
            /** @constant */
            type: "match.found";
            /** @description The match. */
            match: string;
            /** @description The ruleset's id. */
            ruleset: string;
            /**
             * Format: uint8
             * @description The account's seat.
             */
            seat: number;
        };
        /** @description The match a connection follows. */
        Following: {
            /** @description The match. */
            id: string;
            /**
             * Format: uint8
             * @description The seat; nothing for those who look on.
             */
            seat?: number | null;
            /** @description The viewer's version. */
            version: number;
            /** @description Hash of the rules. */
            rulesetHash: string;
            /** @description The ruleset's id. */
            ruleset: string;
            /** @description The ruleset's version. */
            rulesetVersion: string;
            /** @description Hash of the seed, which is made known at the end. */
            seedCommitment: string;
            /** @description Who sits where. */
            seats: components["schemas"]["Seated"][];
            /** @description The whole view, unless what followed `since` comes instead. */
            view?: unknown;
            /** @description Hash of the view at that version. */
            hash: string;
        };
        /** @description Who sits on a seat. */
        Seated: {
            /**
             * Format: uint8
             * @description The seat.
             */
            seat: number;
            /** @description The name of who sits there. */
            name: string;
            /** @description The kind of bot, if it is one. */
            bot?: string | null;
        };
        /** @description What is taken at most. */
        Limits: {
            /** @description Bytes of a frame. */
            frameBytes: number;
            /** @description Levels of lists and objects in a frame. */
            depth: number;
            /** @description Frames in a second, over some time. */
            framesPerSecond: number;
        };
        /** @description Something a viewer is told that is no event of the game. */
        Notice: {
            /** @constant */
            notice: "taken_back";
            /**
             * Format: uint8
             * @description Who took back.
             */
            by: number;
        } | {
            /** @constant */
            notice: "would_take_back";
            /**
             * Format: uint8
             * @description Who would.
             */
            by: number;
        } | {
            /** @constant */
            notice: "not_taken_back";
            /**
             * Format: uint8
             * @description Who would have.
             */
            by: number;
        } | {
            /** @constant */
            notice: "ahead_forgotten";
        };
        /** @description Time left in a seat's bank. */
        Bank: {
            /**
             * Format: uint8
             * @description The seat.
             */
            seat: number;
            /** @description Milliseconds left. */
            leftMs: number;
            /** @description If it is running: since when, milliseconds since 1970. */
            runningSince?: number | null;
        };
        /** @description A problem as it is sent (`application/problem+json`). */
        Problem: {
            /** @description `urn:intermezzo:problem:` and the code. */
            type: string;
            /** @description What the code means, in a few words. */
            title: string;
            /**
             * Format: uint16
             * @description The HTTP status, also where the problem is sent over a socket.
             */
            status: number;
            /** @description Stable name, for programs. */
            code: components["schemas"]["Code"];
            /** @description What is wrong this time, for people. */
            detail: string;
        } & {
            [key: string]: unknown;
        };
        /** @enum {string} */
        Code: "malformed" | "not_signed_in" | "wrong_password" | "not_allowed" | "wrong_origin" | "not_found" | "wrong_method" | "stale" | "closed" | "name_taken" | "seat_taken" | "already_seated" | "already_queued" | "not_ready" | "command_reused" | "version_taken" | "not_enough" | "too_large" | "wrong_media" | "illegal" | "invalid" | "bad_ruleset" | "rule_failed" | "too_many" | "paused" | "internal" | "draining" | "busy";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
