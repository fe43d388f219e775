// Made by `cargo xtask types` from the server's OpenAPI document. Do not edit.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page for browsers; for others what this server is */
        get: operations["get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes an account, or a guest's, and signs it in */
        post: operations["postAccounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What everybody may know of an account */
        get: operations["getAccountsAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An account's public matches that have begun, the latest first */
        get: operations["getAccountsAccountMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The document of the WebSocket */
        get: operations["getAsyncapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["getHealthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/leaderboards/{ruleset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who plays a ruleset best */
        get: operations["getLeaderboardsRuleset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public matches that wait for players, or are played, the latest first */
        get: operations["getMatches"];
        put?: never;
        /** Makes a match; its maker is the host */
        post: operations["postMatches"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/by-code/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The private match with that code */
        get: operations["getMatchesByCodeCode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A match as the lobby shows it */
        get: operations["getMatchesId"];
        put?: never;
        post?: never;
        /** Calls off a match that has not started */
        delete: operations["deleteMatchesId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the seat can do now, and why the rest cannot be done */
        get: operations["getMatchesIdActions"];
        put?: never;
        /** Takes an action */
        post: operations["postMatchesIdActions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/control": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Concedes, takes back, agrees, passes by itself; moderates */
        post: operations["postMatchesIdControl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What has happened, as the viewer saw it; as a stream of lines, or one that goes on, by `Accept` */
        get: operations["getMatchesIdEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A match of one's own that goes on from an input of this one */
        post: operations["postMatchesIdFork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The questions that are open for the viewer */
        get: operations["getMatchesIdInputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/inputs/{inputId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers a question */
        post: operations["postMatchesIdInputsInputId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/inputs/{inputId}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Says what the answer is if the clock runs out */
        put: operations["putMatchesIdInputsInputIdDraft"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/inputs/{inputId}/path": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What may follow the beginning of a path */
        post: operations["postMatchesIdInputsInputIdPath"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The match file of a match that is over */
        get: operations["getMatchesIdLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Says that one is ready, or not any more */
        put: operations["putMatchesIdReady"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/rematch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says that one wants to play again */
        post: operations["postMatchesIdRematch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A match that is over, event by event, with causes and sentences */
        get: operations["getMatchesIdReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/replay/{at}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How things stood after an event */
        get: operations["getMatchesIdReplayAt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/seats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a seat */
        post: operations["postMatchesIdSeats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/seats/{seat}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Leaves a seat; the host frees another's */
        delete: operations["deleteMatchesIdSeatsSeat"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/seats/{seat}/bot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** The host puts a bot on a free seat, or takes it away */
        put: operations["putMatchesIdSeatsSeatBot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The host starts the match */
        post: operations["postMatchesIdStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All the viewer may see */
        get: operations["getMatchesIdView"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account of the token */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /** Deletes the account and everything that says who it was */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        /** Changes the name */
        patch: operations["patchMe"];
        trace?: never;
    };
    "/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that is kept about the account */
        get: operations["getMeExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account's matches, the latest first */
        get: operations["getMeMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets a password; all tokens so far end */
        put: operations["putMePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/ratings/{ruleset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How well the account plays a ruleset */
        get: operations["getMeRatingsRuleset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account's tokens that changed hands, the latest first */
        get: operations["getMeTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The matches that wait for the account */
        get: operations["getMeTurns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/moderations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What moderators did, the latest first; for moderators */
        get: operations["getModerations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything the account waits for */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/{ruleset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far waiting has come; to be asked at least every minute */
        get: operations["getQueueRuleset"];
        put?: never;
        /** Begins to wait for others to play with */
        post: operations["postQueueRuleset"];
        /** Waits no longer */
        delete: operations["deleteQueueRuleset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many wait, by ruleset */
        get: operations["getQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether requests should be sent here */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rulesets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest versions of all rulesets */
        get: operations["getRulesets"];
        put?: never;
        /** Publishes a version of a ruleset */
        post: operations["postRulesets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rulesets/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says what is wrong with a ruleset; publishes nothing */
        post: operations["postRulesetsCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rulesets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A published version */
        get: operations["getRulesetsName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rulesets/{name}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its files as they were published */
        get: operations["getRulesetsNameFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rulesets/{name}/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** JSON Schema of its views, events, questions and actions */
        get: operations["getRulesetsNameSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rulesets/{name}/table": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What clients show it with: titles, sentences, zones, its `ui` */
        get: operations["getRulesetsNameTable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with a password */
        post: operations["postSessions"];
        /** Ends all tokens of the account */
        delete: operations["deleteSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends the token it is sent with */
        delete: operations["deleteSessionsCurrent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A token and whose it is. */
        SignedIn: {
            /** @description To be sent with every request. It is shown this once. */
            token: string;
            /** @description When it ends, unless it is used before. */
            expiresMs: number;
            /** @description The account. */
            account: components["schemas"]["AccountInfo"];
        };
        /** @description Who somebody is. */
        AccountInfo: {
            /** @description Stays the same for ever. */
            id: string;
            /** @description As others see it. */
            name: string;
            /** @description Has no password. */
            guest: boolean;
            /** @description May look into and end matches of others. */
            moderator: boolean;
            /** @description Since when. */
            createdMs: number;
            /** @description How many tokens there are; only told to the account itself. */
            balance?: number | null;
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
        /** @description A wish for an account: with a password, or as a guest. */
        NewAccount: {
            /**
             * @description 3 to 24 letters, digits, `_` or `-`. A guest without one is given one.
             * @default null
             */
            name?: string | null;
            /**
             * @description 8 to 200 characters. Without it the account is a guest's.
             * @default null
             */
            password?: string | null;
        };
        /** @description What everybody may know of an account. */
        Profile: {
            /** @description Stays the same for ever. */
            id: string;
            /** @description As others see it. */
            name: string;
            /** @description Has no password. */
            guest: boolean;
            /** @description Since when. */
            createdMs: number;
            /** @description How well it plays what it has played. */
            ratings: components["schemas"]["Played"][];
        };
        /** @description How well an account plays a ruleset it has played. */
        Played: {
            /** @description The ruleset's id. */
            ruleset: string;
            /**
             * Format: double
             * @description The best guess; everyone starts at 1500.
             */
            rating: number;
            /**
             * Format: double
             * @description How far off the guess may well be; everyone starts at 250.
             */
            uncertainty: number;
            /**
             * Format: double
             * @description What the account surely is worth: the rating less twice the uncertainty.
             */
            surely: number;
            /** @description Matches that counted. */
            matches: number;
            /** @description Those won. */
            wins: number;
            /** @description Those lost. */
            losses: number;
        };
        /** @description Part of a long list. */
        Page: {
            /** @description The things themselves. */
            items: components["schemas"]["MatchInfo"][];
            /** @description What to ask for to get the next ones; nothing at the end. */
            next?: string | null;
        };
        /** @description A match as the lobby shows it. */
        MatchInfo: {
            /** @description Names it. */
            id: string;
            /** @description What lists call it. */
            name: string;
            /** @description Its rules. */
            ruleset: components["schemas"]["RulesetRef"];
            /** @description How far it is. */
            status: components["schemas"]["MatchStatus"];
            /** @description The account that may start it. */
            host?: string | null;
            /** @description Who sits where. */
            seats: components["schemas"]["SeatInfo"][];
            /** @description Options that differ from what the ruleset says. */
            options: {
                [key: string]: unknown;
            };
            /** @description Not listed. */
            private: boolean;
            /** @description What others need to sit down; only told to those who sit there. */
            code?: string | null;
            /** @description What it is played for. */
            stake?: components["schemas"]["StakeInfo"] | null;
            /** @description Counts for ratings. */
            rated: boolean;
            /** @description One account may take several seats. */
            hotseat: boolean;
            /** @description Time, where the ruleset says nothing. */
            clock?: components["schemas"]["Clock"] | null;
            /** @description Who may watch. */
            spectators: components["schemas"]["Spectators"];
            /** @description blake3 of the seed, known from the start. */
            commitment?: string | null;
            /** @description Where its chance came from, known at its end. */
            seed?: string | null;
            /** @description When it was made. */
            createdMs: number;
            /** @description When it started. */
            startedMs?: number | null;
            /** @description When it ended. */
            endedMs?: number | null;
            /** @description How it ended. */
            ending?: components["schemas"]["EndingInfo"] | null;
            /** @description The match this one repeats. */
            rematchOf?: string | null;
            /** @description The match that repeats this one. */
            rematch?: string | null;
        };
        /** @description The rules of a match. */
        RulesetRef: {
            /** @description Names the game. */
            id: string;
            /** @description As its author counts. */
            version: string;
            /** @description For people. */
            name: string;
            /** @description Names exactly these rules. */
            hash: string;
        };
        /** @description How far a match is. */
        MatchStatus: "open" | "playing" | "ended" | "cancelled";
        /** @description One seat of a match. */
        SeatInfo: {
            /**
             * Format: uint8
             * @description From 0.
             */
            seat: number;
            /** @description Who sits there, if it is a person. */
            account?: string | null;
            /** @description Who sits there, if it is a bot. */
            bot?: components["schemas"]["BotKind"] | null;
            /** @description What others call who sits there; nothing if nobody does. */
            name?: string | null;
            /** @description The match may start. */
            ready: boolean;
            /** @description Kept for this account, who played there before. */
            keptFor?: string | null;
        };
        /** @description A player that is a program. */
        BotKind: "random" | "greedy" | "mcts";
        /** @description What a match is played for. */
        StakeInfo: {
            /** @description What the ruleset calls it. */
            currency: string;
            /** @description What each seat pays. */
            entry: number;
        };
        /** @description How much time there is where the ruleset says nothing. */
        Clock: {
            /**
             * @description Milliseconds each seat has for the whole match.
             * @default null
             */
            bankMs?: number | null;
            /**
             * @description Milliseconds that come back with every answer.
             * @default null
             */
            incrementMs?: number | null;
            /**
             * @description Milliseconds a lost connection may take to come back.
             * @default null
             */
            graceMs?: number | null;
        };
        /** @description Who may watch. */
        Spectators: {
            /** @description Whether anybody may. */
            allowed: boolean;
            /**
             * @description How much later they see things, in milliseconds.
             * @default 0
             */
            delayMs?: number;
        };
        /** @description How a match ended. */
        EndingInfo: {
            /** @description The ruleset's word for it. */
            outcome: string;
            /** @description Seats that won. */
            winners: number[];
            /** @description Seats that lost. */
            losers: number[];
            /** @description What becomes of the pot: `winners`, `split`, `burn` or `refund`. */
            pot: string;
            /** @description Why, where the outcome does not say it. */
            reason?: string | null;
        };
        /** @description Name and password. */
        SignIn: {
            /** @description In any case of letters. */
            name: string;
            /** @description As it was set. */
            password: string;
        };
        /** @description A new name. */
        Rename: {
            /** @description 3 to 24 letters, digits, `_` or `-`. */
            name: string;
        };
        /** @description Makes an account of a guest's, or changes the password. */
        NewPassword: {
            /**
             * @description The password so far; a guest has none.
             * @default null
             */
            current?: string | null;
            /** @description 8 to 200 characters. */
            password: string;
            /**
             * @description A new name, if wanted.
             * @default null
             */
            name?: string | null;
        };
        /** @description Part of a long list. */
        Page2: {
            /** @description The things themselves. */
            items: components["schemas"]["TransferInfo"][];
            /** @description What to ask for to get the next ones; nothing at the end. */
            next?: string | null;
        };
        /** @description Tokens that went from one holder to another. */
        TransferInfo: {
            /** @description Names it; later ones sort after earlier ones. */
            id: string;
            /** @description `account:{id}`, `escrow:{match}` or `mint`. */
            from: string;
            /** @description `account:{id}`, `escrow:{match}` or `burned`. */
            to: string;
            /** @description How many; always more than 0. */
            amount: number;
            /** @description Why. */
            reason: components["schemas"]["Reason"];
            /** @description The match it was about. */
            matchId?: string | null;
            /** @description When. */
            atMs: number;
        };
        /** @description Why tokens changed hands. */
        Reason: "welcome" | "entry" | "returned" | "prize" | "share" | "refund" | "burnt" | "closed";
        /** @description Part of a long list. */
        Page3: {
            /** @description The things themselves. */
            items: components["schemas"]["RulesetInfo"][];
            /** @description What to ask for to get the next ones; nothing at the end. */
            next?: string | null;
        };
        /** @description A published version of a ruleset. */
        RulesetInfo: {
            /** @description Names the game; belongs to whoever published it first. */
            id: string;
            /** @description As its author counts. */
            version: string;
            /** @description For people. */
            name: string;
            /** @description What it is about, in a sentence. */
            description: string;
            /** @description Names exactly these rules, in hexadecimal digits. */
            hash: string;
            /** @description How many can play. */
            seats: components["schemas"]["SeatRange"];
            /** @description What can be set for each match. */
            options: components["schemas"]["OptionInfo"][];
            /** @description What is played for, if it can be played for something. */
            currency?: string | null;
            /**
             * @description What the ruleset tells clients about showing it: its section `ui`, as it was written.
             * @default {}
             */
            ui?: {
                [key: string]: unknown;
            };
            /** @description Nothing is hidden from anybody. */
            openInformation: boolean;
            /** @description Came with the server. */
            bundled: boolean;
            /** @description The account that published it. */
            publisher?: string | null;
            /** @description When. */
            publishedMs: number;
        };
        /** @description How many can play. */
        SeatRange: {
            /**
             * Format: uint8
             * @description At least.
             */
            min: number;
            /**
             * Format: uint8
             * @description At most.
             */
            max: number;
            /**
             * Format: uint8
             * @description Unless told otherwise.
             */
            usual: number;
        };
        /** @description Something that can be set for each match. */
        OptionInfo: {
            /** @description Its name. */
            name: string;
            /** @description Its value unless told otherwise. */
            default: unknown;
            /** @description Least value of a number. */
            min?: number | null;
            /** @description Greatest value of a number. */
            max?: number | null;
            /** @description It may be null. */
            nullable: boolean;
        };
        /** @description A ruleset to be published. */
        PublishRuleset: {
            /**
             * @description Text of each file by its path. The rules are the `.yaml`, `.yml` and `.json` files that are in no folder; others
             *     are only kept.
             */
            files: {
                [key: string]: string;
            };
        };
        /** @description What there is to say about a ruleset. */
        Checked: {
            /** @description Whether it could be played. */
            playable: boolean;
            /** @description Hash of its rules, if it could. */
            hash?: string | null;
            /** @description Errors, warnings and hints with file, line and column. */
            diagnostics: unknown[];
        };
        /** @description The files of a ruleset as they were published. */
        RulesetFiles: {
            /** @description Names exactly these rules. */
            hash: string;
            /** @description Text of each file by its path. */
            files: {
                [key: string]: string;
            };
        };
        /** @description What a ruleset tells those who show it. */
        RulesetTable: {
            /** @description Names the game. */
            id: string;
            /** @description For people. */
            name: string;
            /** @description Names exactly these rules, in hexadecimal digits. */
            hash: string;
            /** @description Its section `ui`, as it was written. */
            ui: {
                [key: string]: unknown;
            };
            /** @description The phases, in the order they were declared. */
            phases: components["schemas"]["PhaseWords"][];
            /** @description The zones, in the order they were declared. */
            zones: components["schemas"]["ZoneWords"][];
            /** @description The kinds of things by their names. */
            kinds: {
                [key: string]: components["schemas"]["KindWords"];
            };
            /** @description What things are made from, by its names. */
            defs: {
                [key: string]: components["schemas"]["DefWords"];
            };
            /** @description The events by their names. */
            events: {
                [key: string]: components["schemas"]["EventWords"];
            };
            /** @description What players read of actions and of reactions that wait on the stack, by their ids. */
            rules: {
                [key: string]: string;
            };
        };
        /** @description What players read of a phase. */
        PhaseWords: {
            /** @description Its name in views. */
            name: string;
            /** @description For people. */
            title: string;
        };
        /** @description A zone as it was declared. */
        ZoneWords: {
            /** @description Its name in views. */
            name: string;
            /** @description The kind of those who have one each; nothing if there is only one. */
            of?: string | null;
            /** @description Who sees what is in it. */
            visible: components["schemas"]["ZoneSight"];
            /** @description The order means something to players. */
            ordered: boolean;
            /** @description Rules of things in it are in force. */
            active: boolean;
        };
        /** @description Who sees what is in a zone. */
        ZoneSight: "all" | "owner" | "none" | "some";
        /** @description A kind of things. */
        KindWords: {
            /** @description The kind it extends. */
            extends?: string | null;
            /** @description Its properties that are resources. */
            resources: string[];
            /** @description Its `ui`. */
            ui: unknown;
        };
        /** @description What things are made from. */
        DefWords: {
            /** @description The kind of thing it makes. */
            kind: string;
            /** @description For people. */
            title: string;
            /** @description What it does, for people. */
            text?: string | null;
            /** @description Its `ui`. */
            ui: unknown;
        };
        /** @description How people are told of an event. */
        EventWords: {
            /**
             * @description A sentence with `{field}` where a field of the payload belongs. People are not told if it is empty; nothing if
             *     the ruleset has no words for it.
             */
            text?: string | null;
            /** @description The fields that hold things: null in them is something out of sight. */
            things: string[];
        };
        /** @description A wish for a match. */
        CreateMatch: {
            /** @description `id`, `id@version` or the hash of a ruleset. */
            ruleset: string;
            /**
             * @description Options that differ from what the ruleset says.
             * @default {}
             */
            options?: {
                [key: string]: unknown;
            };
            /**
             * Format: uint8
             * @description How many seats; as the ruleset says, if nothing is said.
             * @default null
             */
            seats?: number | null;
            /**
             * @description Who may take which seat; people, where nothing is said.
             * @default []
             */
            places?: components["schemas"]["PlaceKind"][];
            /**
             * @description What lists call it.
             * @default null
             */
            name?: string | null;
            /**
             * @description Not listed; who knows its code may sit down.
             * @default false
             */
            private?: boolean;
            /**
             * @description Every seat pays the ruleset's entry.
             * @default false
             */
            stake?: boolean;
            /**
             * @description Counts for ratings if all seats are people; public matches do, unless told otherwise.
             * @default null
             */
            rated?: boolean | null;
            /**
             * @description One account may take several seats.
             * @default false
             */
            hotseat?: boolean;
            /**
             * @description The creator takes the first free seat unless this is false.
             * @default null
             */
            sit?: boolean | null;
            /**
             * @description Where the ruleset says nothing about time.
             * @default null
             */
            clock?: components["schemas"]["Clock"] | null;
            /**
             * @description Who may watch.
             * @default null
             */
            spectators?: components["schemas"]["Spectators"] | null;
        };
        /** @description Who may take a seat. */
        PlaceKind: "human" | "random" | "greedy" | "mcts";
        /** @description Taking a seat. */
        Sit: {
            /**
             * Format: uint8
             * @description Which; the first free one, if nothing is said.
             * @default null
             */
            seat?: number | null;
            /**
             * @description The code of a private match.
             * @default null
             */
            code?: string | null;
        };
        /** @description A bot for a free seat, or none any more. */
        SeatBot: {
            /** @description Which bot; null gives the seat back to people. */
            bot?: components["schemas"]["BotKind"] | null;
        };
        /** @description Being ready, or not any more. */
        Ready: {
            /** @description Whether the match may start. */
            ready: boolean;
        };
        /** @description A match that waits for an account. */
        TurnInfo: {
            /** @description The match. */
            matchId: string;
            /**
             * Format: uint8
             * @description The seat of the account that is asked.
             */
            seat: number;
            /** @description What it is asked. */
            title: string;
            /** @description When the time for it is over, milliseconds since 1970. */
            deadlineTs?: number | null;
        };
        /** @description All a viewer may see. */
        ViewNow: {
            /** @description The viewer's version. */
            version: number;
            /** @description Hash of the view: 16 hex digits. */
            hash: string;
            /** @description The view; its shape is told by the ruleset's own schema. */
            view: unknown;
        };
        /** @description What a seat can do now. */
        ActionsNow: {
            /** @description The version the seat has. */
            branchId: number;
            /** @description Whether the seat is asked what to do. */
            asked: boolean;
            /** @description What can be done, with costs and targets. */
            actions: unknown[];
            /** @description What cannot be done, and why. */
            unavailable: unknown[];
        };
        /** @description A command was taken, and is kept. */
        Taken: {
            /** @description The version the sender has then. */
            branchId: number;
        };
        /** @description An action by its name, or one thing dragged onto another. All shapes mean the same. */
        AnyAction: ({
            /** @description the name of the action */
            type: string;
            /** @description by target, or in order, by the names of the view */
            targets?: unknown;
            /** @description further choices by name */
            params?: unknown;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @description the name of the action */
            actionType: string;
            /** @description by target, or in order, by the names of the view */
            targets?: unknown;
            /** @description further choices by name */
            params?: unknown;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @description the name of the action */
            action_id: string;
            /** @description by target, or in order, by the names of the view */
            targets?: unknown;
            /** @description further choices by name */
            params?: unknown;
            /** @constant */
            type: "semantic";
        } & {
            [key: string]: unknown;
        }) | {
            /** @constant */
            type: "direct_manipulation";
            cardId: string;
            to: string;
            action?: unknown;
            from?: unknown;
            metadata?: unknown;
        } | {
            direct_manipulation: components["schemas"]["Drag"];
        };
        /** @description One thing dragged onto another, both by the names of the view: `#3`, `p0`, `p0.hand`. */
        Drag: {
            /** @description What is dragged. */
            what: string;
            /** @description Where it is dropped. */
            onto: string;
        };
        /** @description The questions that are open for a viewer. */
        OpenInputs: {
            /** @description The viewer's version. */
            version: number;
            /** @description The questions, with options and deadlines. */
            prompts: unknown[];
            /** @description Whether the seat passes by itself, if it does. */
            auto?: unknown;
            /** @description Time left in the banks of the seats, if they have any. */
            banks?: components["schemas"]["Bank"][];
            /** @description Whether the match and its clocks stand until a moderator lets them go on. */
            paused?: boolean;
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
        /** @description An answer to a question, or a draft of one. */
        Answers: {
            /** @description Options by name, label or number, in a list or alone; null for an empty slot; `"pass"` to decline. */
            answers: unknown;
        };
        /** @description What may follow it. */
        PathNext: {
            /** @description The steps that may come next. */
            options: unknown[];
            /** @description Whether the path may end here. */
            enough: boolean;
        };
        /** @description The beginning of a path. */
        PathSoFar: {
            /**
             * @description Step by step, written as an answer.
             * @default []
             */
            soFar?: unknown[];
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
        /** @description What happened in a match, as a viewer saw it. */
        Past: {
            /** @description One for each version, in order. */
            items: components["schemas"]["PastStep"][];
            /** @description Ask for what came `since` this version to get the next ones; nothing if these are all. */
            next?: number | null;
        };
        /** @description What one step of a match brought to a viewer. */
        PastStep: {
            /** @description The viewer's version then. */
            version: number;
            /** @description When it was taken. */
            atMs: number;
            /** @description The events the viewer may see, in order: `n`, `event`, `cause`, `payload`. */
            events: unknown[];
            /** @description What else there is to know. */
            notices?: components["schemas"]["Notice"][];
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
        /** @description Where a match of one's own goes on from. */
        ForkAt: {
            /** @description After so many inputs of the match file. */
            at: number;
        };
        /** @description Part of what happened in a match, for one viewer. */
        ReplayPage: {
            /** @description The match. */
            match: string;
            /** @description For whom: `all`, `spectator`, or `seat0`, `seat1`, … */
            as: string;
            /** @description Its rules. */
            ruleset: components["schemas"]["RulesetRef"];
            /** @description Who sat where. */
            seats: components["schemas"]["Seated"][];
            /** @description When it started. */
            startedMs?: number | null;
            /** @description When it ended. */
            endedMs?: number | null;
            /** @description How many inputs this viewer's list has, the start included. */
            inputCount: number;
            /** @description How many events this viewer's list has. */
            eventCount: number;
            /** @description The inputs of this page. All pages together have each of them once. */
            inputs: components["schemas"]["ReplayInput"][];
            /** @description The events of this page. */
            events: components["schemas"]["ReplayEvent"][];
            /** @description What was taken back, oldest first; only for `all`, and with the first page. */
            branches: components["schemas"]["ReplayBranch"][];
            /** @description How it ended. */
            ending?: components["schemas"]["EndingInfo"] | null;
            /** @description What to say as `after` to get the next page; nothing on the last. */
            next?: number | null;
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
        /** @description An input of a match. */
        ReplayInput: {
            /** @description Its place in the list of this viewer; 0 is the start of the match. */
            number: number;
            /** @description When it was taken. */
            atMs?: number | null;
            /**
             * Format: uint8
             * @description Who sent it; null if nobody did, or if that is none of the viewer's business.
             */
            seat?: number | null;
            /** @description `start`, `answer`, `draft`, `timeout`, `leave`, `auto_pass` or `moderate`; null if it is none of the viewer's business. */
            kind?: string | null;
            /** @description What was sent, in words. */
            text?: string | null;
            /** @description The first event that came of it. */
            firstEvent?: number | null;
            /** @description The last event that came of it. */
            lastEvent?: number | null;
            /** @description A fork `at` this number goes on after this input, and after everything that came of it. Null where there are no forks. */
            forkAt?: number | null;
        };
        /** @description An event of a match. */
        ReplayEvent: {
            /** @description Its number for this viewer, from 1. */
            n: number;
            /** @description The input it belongs to, by its number. */
            input: number;
            /** @description Its type. */
            event: string;
            /** @description What became of it. */
            status: components["schemas"]["ReplayStatus"];
            /**
             * @description The number of the event that caused it. Null if the input itself did, or if the cause is not for this viewer. It may
             *     be larger than `n`: what reacts before an event is told before it.
             */
            cause?: number | null;
            /** @description How many causes lie above it. */
            depth: number;
            /** @description How many items lie on the stack after it. */
            stack: number;
            /** @description The event in words. */
            text: string;
            /** @description Its fields, in the names of the view. */
            payload: unknown;
            /** @description The engine's number of it, as match files have it; only for `all`. */
            id?: number | null;
        };
        /** @description What became of an event. */
        ReplayStatus: "applied" | "prevented" | "failed";
        /** @description Inputs that were taken back. */
        ReplayBranch: {
            /** @description Its number, from 1. */
            number: number;
            /** @description The branch it leaves; null if it leaves what counts. */
            parent?: number | null;
            /** @description How many inputs it has in common with that. */
            from: number;
            /**
             * Format: uint8
             * @description Who took back.
             */
            by: number;
            /** @description Who agreed to it. */
            agreed: number[];
            /** @description What was taken back. */
            inputs: components["schemas"]["BranchInput"][];
        };
        /** @description An input that was taken back. */
        BranchInput: {
            /** @description Its number. */
            number: number;
            /**
             * Format: uint8
             * @description Who sent it.
             */
            seat?: number | null;
            /** @description What it was, as for other inputs. */
            kind: string;
            /** @description What was sent, in words. */
            text: string;
            /** @description What came of it. */
            events: components["schemas"]["BranchEvent"][];
        };
        /** @description An event that counts no longer. */
        BranchEvent: {
            /** @description Its type. */
            event: string;
            /** @description The event in words. */
            text: string;
        };
        /** @description How things stood after an event. */
        ReplayMoment: {
            /** @description The match. */
            match: string;
            /** @description For whom. */
            as: string;
            /** @description The number of the event; 0 is before anything happened. */
            at: number;
            /** @description The input it belongs to. */
            input: number;
            /** @description What the viewer saw, in the shape of all views. */
            view: unknown;
            /** @description Whether the match had come to a wait, or to its end. */
            isWaiting: boolean;
            /** @description What was asked then: of the viewer, or of everyone for `all`. Nothing in the middle of an input. */
            prompts: unknown[];
            /** @description What was under way, outermost first; only for `all`. */
            underWay: components["schemas"]["UnderWayInfo"][];
            /** @description The reactions still to come, the first to happen first; only for `all`. */
            pendingReactions: components["schemas"]["ReactionInfo"][];
        };
        /** @description Something that is not over yet. */
        UnderWayInfo: {
            /** @description `event`, `rule`, `resolving`, `group`, `moving` or `leaving`. */
            kind: string;
            /** @description The type of the event, or the name of the rule. */
            name: string;
            /** @description The number of the event, or of the one the rule belongs to, if it has happened. */
            event?: number | null;
            /** @description How far an event has come: `before`, `happened`, `then` or `after`. */
            stage?: string | null;
            /** @description The entity whose rule it is. */
            source?: string | null;
            /** @description The file of the rule that goes on next. */
            file?: string | null;
            /** @description The line in it. */
            line?: number | null;
        };
        /** @description A reaction that is still to come. */
        ReactionInfo: {
            /** @description Its id. */
            name: string;
            /** @description The number of the event it reacts to. */
            event?: number | null;
            /** @description The type of that event. */
            to: string;
            /** @description The entity whose reaction it is; null if it is a rule of the game. */
            source?: string | null;
            /** @description `now`, or `stack` if it goes on the stack first. */
            where: string;
            /** @description The file it is declared in. */
            file?: string | null;
            /** @description The line in it. */
            line?: number | null;
        };
        /** @description How far waiting has come. */
        QueueStatus: {
            /** @description The ruleset. */
            ruleset: string;
            /** @description For its entry. */
            stake: boolean;
            /** @description Since when. */
            sinceMs: number;
        } & ({
            /** @constant */
            state: "waiting";
        } | {
            /** @constant */
            state: "found";
            /** @description That match. */
            matchId: string;
        } | {
            /** @constant */
            state: "dropped";
            /** @description Why. */
            problem: components["schemas"]["Problem"];
        });
        /** @description How many wait for others to play a ruleset with. */
        QueueLength: {
            /** @description The ruleset. */
            ruleset: string;
            /** @description How many; always more than 0. */
            waiting: number;
        };
        /** @description A wish to play with whoever else wants to. */
        JoinQueue: {
            /**
             * @description For the ruleset's entry. Those who do and those who do not are not brought together.
             * @default false
             */
            stake?: boolean;
        };
        /** @description Part of a long list. */
        Page4: {
            /** @description The things themselves. */
            items: components["schemas"]["Standing"][];
            /** @description What to ask for to get the next ones; nothing at the end. */
            next?: string | null;
        };
        /** @description A line of a leaderboard. */
        Standing: {
            /** @description The account. */
            account: string;
            /** @description Its name. */
            name: string;
            /**
             * Format: double
             * @description The best guess; everyone starts at 1500.
             */
            rating: number;
            /**
             * Format: double
             * @description How far off the guess may well be; everyone starts at 250.
             */
            uncertainty: number;
            /**
             * Format: double
             * @description What the account surely is worth: the rating less twice the uncertainty.
             */
            surely: number;
            /** @description Matches that counted. */
            matches: number;
            /** @description Those won. */
            wins: number;
            /** @description Those lost. */
            losses: number;
        };
        /** @description How well an account plays one ruleset. */
        RatingInfo: {
            /**
             * Format: double
             * @description The best guess; everyone starts at 1500.
             */
            rating: number;
            /**
             * Format: double
             * @description How far off the guess may well be; everyone starts at 250.
             */
            uncertainty: number;
            /**
             * Format: double
             * @description What the account surely is worth: the rating less twice the uncertainty.
             */
            surely: number;
            /** @description Matches that counted. */
            matches: number;
            /** @description Those won. */
            wins: number;
            /** @description Those lost. */
            losses: number;
        };
        /** @description What a server is. */
        Welcome: {
            /** @description The name of the program. */
            name: string;
            /** @description The version of the program. */
            version: string;
            /** @description Where the document of the HTTP operations is. */
            openapi: string;
            /** @description Where the document of the WebSocket is. */
            asyncapi: string;
            /** @description Whether it is the workshop of a ruleset's author, with a playground. */
            dev?: boolean;
        };
        /** @description Whether a server is well. */
        Health: {
            /** @description `ok`, or `draining` when it is about to stop. */
            status: string;
            /** @description The version of the program. */
            version: string;
        };
        /** @description Part of a long list. */
        Page5: {
            /** @description The things themselves. */
            items: components["schemas"]["ModerationInfo"][];
            /** @description What to ask for to get the next ones; nothing at the end. */
            next?: string | null;
        };
        /** @description Something a moderator did in a match. */
        ModerationInfo: {
            /** @description When. */
            atMs: number;
            /** @description The moderator's account. */
            account: string;
            /** @description What it is called now. */
            name: string;
            /** @description The match. */
            matchId: string;
            /** @description What was done, with the reason that was given. */
            control: components["schemas"]["Control"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Welcome"];
                    "text/html; charset=utf-8": unknown;
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewAccount"];
            };
        };
        responses: {
            /** @description as asked */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `name_taken`: Somebody else has that name */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccountsAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name or id of an account */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAccountsAccountMatches: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the name or id of an account */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAsyncapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLeaderboardsRuleset: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the id of a ruleset */
                ruleset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page4"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatches: {
        parameters: {
            query?: {
                /** @description of that ruleset only, by its id */
                ruleset?: string;
                /** @description those that are being played and may be watched, in place of those that wait for players */
                playing?: boolean;
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatches: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMatch"];
            };
        };
        responses: {
            /** @description as asked */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `command_reused`: That command id was used for something else; `not_enough`: The account does not have that much; `seat_taken`: Somebody else sits there */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesByCodeCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the code of a private match */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMatchesId: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdActions: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionsNow"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdActions: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
            };
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
                /** @description the version the client has seen, as `ETag` gave it; the command is refused if the match has gone on */
                "If-Match"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnyAction"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Taken"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `paused`: The match is paused until somebody looks at it; `stale`: It has gone on since you looked */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `illegal`: The rules do not allow it; `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdControl: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
            };
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
                /** @description the version the client has seen, as `ETag` gave it; the command is refused if the match has gone on */
                "If-Match"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Control"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Taken"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `paused`: The match is paused until somebody looks at it; `stale`: It has gone on since you looked */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `illegal`: The rules do not allow it; `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdEvents: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
                /** @description looks on, even if the account has a seat */
                spectate?: boolean;
                /** @description the version the client has: what came after it */
                since?: number;
                /** @description how many steps at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Past"];
                    "application/x-ndjson": unknown;
                    "text/event-stream": unknown;
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdFork: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForkAt"];
            };
        };
        responses: {
            /** @description as asked */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `not_ready`: Not everyone is ready */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdInputs: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
                /** @description looks on, even if the account has a seat */
                spectate?: boolean;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenInputs"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdInputsInputId: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
            };
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
                /** @description the version the client has seen, as `ETag` gave it; the command is refused if the match has gone on */
                "If-Match"?: string;
            };
            path: {
                /** @description the match */
                id: string;
                /** @description the question, as `inputId` of the prompt */
                inputId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Answers"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Taken"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `paused`: The match is paused until somebody looks at it; `stale`: It has gone on since you looked */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `illegal`: The rules do not allow it; `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMatchesIdInputsInputIdDraft: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
            };
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
                /** @description the version the client has seen, as `ETag` gave it; the command is refused if the match has gone on */
                "If-Match"?: string;
            };
            path: {
                /** @description the match */
                id: string;
                /** @description the question, as `inputId` of the prompt */
                inputId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Answers"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Taken"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `paused`: The match is paused until somebody looks at it; `stale`: It has gone on since you looked */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `illegal`: The rules do not allow it; `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdInputsInputIdPath: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
                /** @description the question, as `inputId` of the prompt */
                inputId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PathSoFar"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PathNext"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `illegal`: The rules do not allow it; `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `not_ready`: Not everyone is ready */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMatchesIdReady: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Ready"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdRematch: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `not_enough`: The account does not have that much; `not_ready`: Not everyone is ready; `seat_taken`: Somebody else sits there */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdReplay: {
        parameters: {
            query?: {
                /** @description as whom: `all`, `spectator`, or `seat0`, `seat1`, …; what is left out means `all` where that is allowed */
                as?: string;
                /** @description the number of the last event the client has */
                after?: number;
                /** @description how many events at most */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayPage"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdReplayAt: {
        parameters: {
            query?: {
                /** @description as whom: `all`, `spectator`, or `seat0`, `seat1`, …; what is left out means `all` where that is allowed */
                as?: string;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
                /** @description the number of an event; 0 is before anything happened */
                at: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayMoment"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdSeats: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Sit"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `already_seated`: You sit there already; `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `not_enough`: The account does not have that much; `seat_taken`: Somebody else sits there */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMatchesIdSeatsSeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
                /** @description the seat, from 0 */
                seat: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMatchesIdSeatsSeatBot: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
                /** @description the seat, from 0 */
                seat: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SeatBot"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `seat_taken`: Somebody else sits there */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMatchesIdStart: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open; `command_reused`: That command id was used for something else; `not_ready`: Not everyone is ready */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMatchesIdView: {
        parameters: {
            query?: {
                /** @description which of the account's seats, if it has several */
                seat?: number;
                /** @description looks on, even if the account has a seat */
                spectate?: boolean;
            };
            header?: never;
            path: {
                /** @description the match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    /** @description the viewer's version of the match, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewNow"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `closed`: It is over or no longer open */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `already_seated`: You sit there already; `closed`: It is over or no longer open; `not_ready`: Not everyone is ready */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rename"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `command_reused`: That command id was used for something else; `name_taken`: Somebody else has that name */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeExport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeMatches: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed; `wrong_password`: Name and password do not fit */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `name_taken`: Somebody else has that name; `stale`: It has gone on since you looked */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeRatingsRuleset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a ruleset */
                ruleset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RatingInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeTransfers: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page2"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeTurns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnInfo"][];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4": unknown;
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getModerations: {
        parameters: {
            query?: {
                /** @description in that match only */
                match?: string;
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page5"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueStatus"][];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQueueRuleset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of a ruleset */
                ruleset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueStatus"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postQueueRuleset: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the id of a ruleset */
                ruleset: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JoinQueue"];
            };
        };
        responses: {
            /** @description as asked */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueStatus"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `already_queued`: You are waiting there already; `command_reused`: That command id was used for something else; `not_enough`: The account does not have that much */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteQueueRuleset: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description the id of a ruleset */
                ruleset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `command_reused`: That command id was used for something else */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueLength"][];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRulesets: {
        parameters: {
            query?: {
                /** @description `next` of the page before */
                cursor?: string;
                /** @description how many at most */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page3"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postRulesets: {
        parameters: {
            query?: never;
            header?: {
                /** @description made up by the client, new for each command: the same key again has the same outcome */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishRuleset"];
            };
        };
        responses: {
            /** @description as asked */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesetInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_allowed`: This is not yours to do; `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `command_reused`: That command id was used for something else; `version_taken`: That version has been published with other rules */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `bad_ruleset`: The ruleset has errors; `invalid`: Something in the request will not do; `rule_failed`: A rule of the game failed; nothing has happened */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postRulesetsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishRuleset"];
            };
        };
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checked"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRulesetsName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `id`, `id@version` or hash of a ruleset */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesetInfo"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRulesetsNameFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `id`, `id@version` or hash of a ruleset */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesetFiles"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRulesetsNameSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `id`, `id@version` or hash of a ruleset */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/schema+json": unknown;
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRulesetsNameTable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `id`, `id@version` or hash of a ruleset */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description as asked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesetTable"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: There is no such thing */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description as asked */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_password`: Name and password do not fit */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_large`: That is more than is taken at once */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_media`: JSON is needed here */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `invalid`: Something in the request will not do */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSessionsCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `malformed`: The request cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_signed_in`: A valid token is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `wrong_origin`: Pages from there may not connect */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `too_many`: Too much at once, try again later */
            429: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `internal`: Something is wrong with the server */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `busy`: The server has too much to do, try again; `draining`: The server is about to stop, try again */
            503: {
                headers: {
                    /** @description seconds */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
