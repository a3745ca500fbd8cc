// Generated from docs/openapi.json by "npm run generate". Do not edit.
export interface paths {
    "/v1/intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Parse free text into a normalized intent
         * @description The result is stored and counts for 15 minutes when its normalized string is enforced, with or without the intent_id.
         *
         *     Scope: intents:write.
         */
        post: operations["parseIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/intent/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a parse again
         * @description As it was answered.
         *
         *     Scope: intents:write.
         */
        get: operations["getParsedIntent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether an agent may do something
         * @description The decision is on record before it is answered. A negative decision is HTTP 200. A repeat under the same Idempotency-Key gets the same decision, a permission only while it stands (409 E5004). An ESCALATE names the approval that it waits for; once a human has approved, the same question with its approval_id is allowed, once; a repeat within a minute gets that decision again, while it stands. With dry_run nothing is stored and the answer is not a decision.
         *
         *     Scope: intents:write.
         */
        post: operations["enforce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enforce/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask up to a hundred questions at once
         * @description A member that fails becomes {"error": problem} at its place and hides no other. Under an Idempotency-Key a batch is one effect: a repeat gives what was decided again, E5004 in the place of a decision that no longer stands, and tries members again that failed on our side (status 500 and above).
         *
         *     Scope: intents:write.
         */
        post: operations["enforceBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List submitted intents, newest first
         * @description A key with intents:write but not proofs:read sees what it submitted itself.
         *
         *     Scope: proofs:read or intents:write.
         */
        get: operations["listIntents"];
        put?: never;
        /**
         * Submit an intent for a worker to evaluate
         * @description Accepted means durable: it will be evaluated exactly once, whatever fails meanwhile. The resource may end in a `*` segment: ALLOW needs all of it covered, DENY and ESCALATE count on any overlap.
         *
         *     Scope: intents:write.
         */
        post: operations["submitIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/intents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one submitted intent
         * @description Its state, and its decision when there is one. A key without proofs:read sees what it submitted itself.
         *
         *     Scope: proofs:read or intents:write.
         */
        get: operations["getIntent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List decisions, newest first
         * @description A key with intents:write but not proofs:read sees what it asked itself, also before a rotation. `toolServer` and `toolName` find calls of tools. `requestId` finds what one request led to, by its X-Request-Id: all decisions of a batch, and those of an intent that it submitted.
         *
         *     Scope: proofs:read or intents:write.
         */
        get: operations["listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one decision
         * @description The answer byte for byte (a promise signed with others is signed alone), then `stands`: whether it may be acted upon now. It may not when it permits nothing (`verdict`), has `expired` or was reported as `not_carried_out`, while the environment is `halted` or the agent is not active (`agent_not_active`), and once the key that asked, with its rotations, is not valid (`key_invalid`).
         *
         *     Scope: proofs:read or intents:write.
         */
        get: operations["getDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/{id}/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what became of a permitted action
         * @description By the key that asked, or one that rotations made of it. `not_carried_out` gives back what the decision counted against budgets, and the decision does not stand any more: nobody may act upon it.
         *
         *     Scope: intents:write.
         */
        post: operations["reportOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals, newest first
         * @description Each with the ESCALATE that opened it. `status=pending` lists those that wait for a human.
         *
         *     Scope: admin:*.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one approval
         * @description With the caller's own words, all that it is bound to, and the ESCALATE that opened it. A key with intents:write but not admin:* sees the approvals that it asked for.
         *
         *     Scope: admin:* or intents:write.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve what an agent asked for
         * @description The agent may then do this one thing once: by asking again with approval_id, or, if it was a submitted intent, by itself. The key that asked may not decide, nor one that it made or that made it. A key that is bound to agents approves nothing. Where the rules name approvers, only they may, and the approval is `pending` until as many as the rules demand have approved.
         *
         *     Scope: admin:*.
         */
        post: operations["approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject what an agent asked for, or withdraw an approval
         * @description Whoever asks with its approval_id is denied from then on; a submitted intent is decided DENY. The key that asked may not decide, nor one that it made or that made it. One rejection rejects, also what is approved and not used yet.
         *
         *     Scope: admin:*.
         */
        post: operations["reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proofs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List anchored proofs, newest first
         * @description Accepted proofs appear once they are in the log.
         *
         *     Scope: proofs:read.
         */
        get: operations["listProofs"];
        put?: never;
        /**
         * Have a statement anchored
         * @description Accepted means durable: a worker appends it to the log. The same proofId gives the first answer again; with another proof it is a 422. The payload is permanent.
         *
         *     Scope: intents:write or trust:write.
         */
        post: operations["createProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proofs/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have up to a thousand statements anchored
         * @description All are accepted or none.
         *
         *     Scope: intents:write.
         */
        post: operations["createProofBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proofs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The receipt of one proof
         * @description A receipt proves the record to whoever trusts the log key, offline (`custos verify`). It never changes. With `Accept: text/plain` it comes as a C2SP tlog-proof.
         *
         *     Scope: proofs:read.
         */
        get: operations["getProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proofs/chain/{entityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one entity's chain, oldest first
         * @description Every record names the hash of the one before it, so none can be left out unnoticed.
         *
         *     Scope: proofs:read.
         */
        get: operations["getProofChain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The log's newest signed checkpoint
         * @description It signs the size and the root of the tree, and with them every record.
         *
         *     Scope: proofs:read.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checkpoints, newest first
         * @description Each covers all records of the ones before it.
         *
         *     Scope: proofs:read.
         */
        get: operations["listCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys of the log, each with the tree sizes it may sign
         * @description All of them, old ones too, on one page.
         *
         *     Scope: proofs:read.
         */
        get: operations["listLogKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * That the tree of `to` leaves begins with the tree of `from` leaves
         * @description Proves that nothing was changed or removed between two checkpoints.
         *
         *     Scope: proofs:read.
         */
        get: operations["getConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/log/leaves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Leaf hashes, oldest first
         * @description At most 1000 at once; go on from the `to` of the answer.
         *
         *     Scope: proofs:read.
         */
        get: operations["getLeaves"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/proofs/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a receipt
         * @description At most 64 kB; offline, larger ones are verified. Only this service's log keys are trusted; `custos verify` does the same offline.
         *
         *     Any valid key.
         */
        post: operations["verifyProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents, newest first
         * @description Each with its trust now.
         *
         *     Scope: agents:read.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Register an agent
         * @description Without agentId one is generated. An id is never used again, not even after its agent was terminated.
         *
         *     Scope: agents:write.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one agent
         * @description With its trust now.
         *
         *     Scope: agents:read.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Terminate an agent
         * @description The record stays, with status TERMINATED; every later request of the agent is denied.
         *
         *     Scope: agents:write.
         */
        delete: operations["terminateAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent, or pause, resume, suspend or terminate it
         * @description Only the members that are sent are changed. A bound key changes only name, description and metadata, and makes the status stricter. A change of status takes effect in every process within a second; its `reason` goes into the log.
         *
         *     Scope: agents:write.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/v1/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List registered resources by name
         * @description Those of the policy folder are not among them: they are part of the policy set.
         *
         *     Scope: agents:read.
         */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a registered resource
         * @description The entry with exactly this name, not those of patterns that cover it.
         *
         *     Scope: agents:read.
         */
        get: operations["getResource"];
        /**
         * Register a resource, or replace what is registered
         * @description Facts of the next decision. The most specific entry decides for each attribute, before a file of the same name. Keys that are bound to agents may neither read nor change the registry.
         *
         *     Scope: agents:write.
         */
        put: operations["putResource"];
        post?: never;
        /**
         * Remove a registered resource
         * @description Entries of patterns that cover it, and of the policy folder, stay.
         *
         *     Scope: agents:write.
         */
        delete: operations["deleteResource"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trust/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how agents behaved
         * @description One signal, or up to a thousand in `signals`: all are accepted or none. Accepted means durable; a worker folds them into scores within moments. A signalId counts once, for ever. A key that is bound to agents may not send signals.
         *
         *     Scope: trust:write.
         */
        post: operations["sendTrustSignals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trust/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The trust in an agent, now or at any time
         * @description What the agent's signals say; without any, the trust of no evidence. With `at`: as it was then; a moment to come says what idleness would make of it.
         *
         *     Scope: trust:read.
         */
        get: operations["getTrust"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trust/{agentId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the trust in an agent changed, newest first
         * @description One item for each time that signals were folded; a score also drifts towards 250 day by day without any. `from` is inclusive, `to` exclusive.
         *
         *     Scope: trust:read.
         */
        get: operations["getTrustHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of the environment, newest first
         * @description Revoked and expired keys are listed too. lastUsedAt is written every few seconds.
         *
         *     Scope: admin:*.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Only this answer shows the key. A repeat under the same Idempotency-Key has none: rotate its `keyId`. A key that is bound to agents can only create keys bound to some of the same agents.
         *
         *     Scope: admin:*.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Effective in every process within a second. Revoking a revoked key changes nothing.
         *
         *     Scope: admin:*.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key by a new one
         * @description The new key has the old one's members, and its lifetime from now. The old one stays valid until the overlap ends (default 1h; 0m revokes it at once), or its own expiry when that is earlier. A repeat under the same Idempotency-Key has no `key`: rotate the new `keyId`.
         *
         *     Scope: admin:*.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/halt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the environment is halted
         * @description While it is halted, every verdict is DENY.
         *
         *     Scope: admin:*.
         */
        get: operations["getHalt"];
        put?: never;
        /**
         * Halt the environment of the key
         * @description From then on every verdict of this organisation and environment is DENY with reason HALTED, in every process within a second, until the halt is lifted.
         *
         *     Scope: admin:*.
         */
        post: operations["setHalt"];
        /**
         * Lift the halt
         * @description From then on verdicts come from the policies again. Lifting when nothing is halted changes nothing. The request may have a body with a reason, which is stored in the log.
         *
         *     Scope: admin:*.
         */
        delete: operations["liftHalt"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a draft would have decided
         * @description Evaluates stored decisions of the operator's organisation again under a draft: up to 1000 at once, with `Accept: text/html` as a page; more as a job at Location.
         *
         *     Scope: admin:*.
         */
        post: operations["replayPolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A replay that runs as a job
         * @description Kept for a week. With `Accept: text/html`, once it is done: its report as a page.
         *
         *     Scope: admin:*.
         */
        get: operations["getReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/shadow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the draft in shadow mode would change
         * @description With CUSTOS_SHADOW_POLICY_DIR the workers evaluate a second folder beside the set in force for a share of live decisions, after they were answered.
         *
         *     Scope: admin:*.
         */
        get: operations["getShadow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The policy set in force
         * @description With the findings of the last reading of the folder, which may have been refused.
         *
         *     Scope: admin:*.
         */
        get: operations["getPolicies"];
        put?: never;
        /**
         * Put a policy set into force
         * @description The files are the whole set, in force everywhere within two seconds; edits of the folder are not, until POST /v1/policies/follow-folder. From another organisation than the operator they are policies for it alone, which only make answers stricter.
         *
         *     Scope: admin:*.
         */
        post: operations["pushPolicies"];
        /**
         * Withdraw the organisation's own policies
         * @description The organisation then has the installation's set.
         *
         *     Scope: admin:*.
         */
        delete: operations["withdrawPolicies"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/stages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The staged policy sets
         * @description With what shares have shown so far.
         *
         *     Scope: admin:*.
         */
        get: operations["listPolicyStages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/activations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The history of policy sets, newest first
         * @description An organisation reads its own and the installation's.
         *
         *     Scope: admin:*.
         */
        get: operations["listPolicyActivations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a staged set into force for all organisations
         * @description As a push of the same set.
         *
         *     Scope: admin:*.
         */
        post: operations["promotePolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/stages/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drop a stage: its organisations get the set that is in force for all
         * @description The set stays stored.
         *
         *     Scope: admin:*.
         */
        delete: operations["dropPolicyStage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a stored policy set into force again
         * @description Any set that was ever stored. As after a push, the folder is not followed.
         *
         *     Scope: admin:*.
         */
        post: operations["rollBackPolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/follow-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put the set of the policy folder into force, and its later edits
         * @description The opposite of a push: the folder decides again.
         *
         *     Scope: admin:*.
         */
        post: operations["followPolicyFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/difference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The difference of two stored policy sets
         * @description An organisation compares its own policies, on the set in force.
         *
         *     Scope: admin:*.
         */
        get: operations["comparePolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of the policy set that needed approval, newest first
         * @description With CUSTOS_POLICY_APPROVALS=1 pushes, rollbacks and edits of the policy folder wait here.
         *
         *     Scope: admin:*.
         */
        get: operations["listPolicyApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one change of the policy set with its difference
         * @description With the difference to the set that was in force when it was proposed.
         *
         *     Scope: admin:*.
         */
        get: operations["getPolicyApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/approvals/{approvalId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a change of the policy set
         * @description Carried out in the same transaction, unless another set was put into force since. Not by the author, nor by a key that it created or that created it.
         *
         *     Scope: admin:*.
         */
        post: operations["approvePolicySet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/approvals/{approvalId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a change of the policy set
         * @description Nothing comes into force.
         *
         *     Scope: admin:*.
         */
        post: operations["rejectPolicySet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A policy set that is or was in force
         * @description An organisation reads the sets of the installation and its own; the operator reads all.
         *
         *     Scope: admin:*.
         */
        get: operations["getPolicySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check policy files without putting them into force
         * @description The same checks as those of the folder and of `custos policy check`.
         *
         *     Scope: admin:*.
         */
        post: operations["validatePolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tool catalogues in force
         * @description They say what tools do; a call of a tool that none lists is judged as unknown. `seen` has what was called unknown or changed, among the newest 5,000 such calls.
         *
         *     Scope: agents:read.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/{server}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tool catalogue of one server
         * @description As in the list.
         *
         *     Scope: agents:read.
         */
        get: operations["getTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of the environment, newest first
         * @description They are few and fit on one page.
         *
         *     Scope: admin:*.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events of the given types are sent to the URL as Standard Webhooks, signed with the webhook's own key. Only the first answer shows the secret.
         *
         *     Scope: admin:*.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Messages that wait are not sent. To keep them, disable the webhook instead.
         *
         *     Scope: admin:*.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook
         * @description Only the members that are sent are changed.
         *
         *     Scope: admin:*.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a webhook's signing key
         * @description Until the overlap ends (default 24h; at most 30d) each message has a signature of the old key and one of the new key. Only the first answer shows the secret.
         *
         *     Scope: admin:*.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries, newest first
         * @description Deliveries are kept for a week.
         *
         *     Scope: admin:*.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message again
         * @description It keeps its `webhook-id`, so that a receiver can recognize it. One that is pending is sent at once instead of at its next attempt.
         *
         *     Scope: admin:*.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process is alive
         * @description Answers as long as the process runs, whatever its dependencies do.
         *
         *     No key is needed.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service can take requests, and which of its parts cannot work now
         * @description No key is needed. With a live `admin:*` key of the operator, each check also says why (`detail`), and halted environments are listed.
         *
         *     No key is needed.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reference/tiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trust levels: name and range of scores
         * @description It changes only with the version of the service.
         *
         *     No key is needed.
         */
        get: operations["listTiers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reference/rate-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests per second and per minute by the tier of a key
         * @description It changes only with the version of the service.
         *
         *     No key is needed.
         */
        get: operations["listRateLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reference/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every error code, its statuses and when it is given
         * @description It changes only with the version of the service.
         *
         *     No key is needed.
         */
        get: operations["listErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reference/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The scopes of keys and what they permit
         * @description It changes only with the version of the service.
         *
         *     No key is needed.
         */
        get: operations["listScopes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        FieldError: {
            /** @description RFC 6901 pointer into the body, or ?name for a query parameter, {name} for a path parameter */
            pointer: string;
            /** @description what is wrong there */
            message: string;
        };
        /**
         * @description Why a request was refused or failed (RFC 9457).
         * @example {
         *       "type": "/v1/reference/errors#E2001",
         *       "title": "Request invalid",
         *       "status": 400,
         *       "detail": "The request is invalid: /agent_id is required.",
         *       "message": "The request is invalid: /agent_id is required.",
         *       "instance": "/v1/enforce",
         *       "code": "E2001",
         *       "category": "validation",
         *       "retryable": false,
         *       "requestId": "req_01jq3k5v7w9x1y3z5b7d9f1h3k",
         *       "errors": [
         *         {
         *           "pointer": "/agent_id",
         *           "message": "is required"
         *         }
         *       ]
         *     }
         */
        Problem: {
            /** @description a reference that names the kind of problem */
            type: string;
            /** @description the name of the code */
            title: string;
            /** @description the HTTP status */
            status: number;
            /** @description what was wrong with this request, and what to do */
            detail: string;
            /** @description the same as `detail`, under the name that clients of other services read */
            message: string;
            /** @description the path of the request */
            instance: string;
            /**
             * @description what happened: see GET /v1/reference/errors
             * @enum {string}
             */
            code: "E1001" | "E1002" | "E1003" | "E1004" | "E2001" | "E2005" | "E2006" | "E2009" | "E2010" | "E3001" | "E4001" | "E4002" | "E4003" | "E4004" | "E4005" | "E4006" | "E5001" | "E5002" | "E5003" | "E5004" | "E6001" | "E6002";
            /**
             * @description the kind of the code
             * @enum {string}
             */
            category: "authentication" | "validation" | "limit" | "not_found" | "conflict" | "internal";
            /** @description whether the same request may succeed later */
            retryable: boolean;
            /** @description X-Request-Id of the answer */
            requestId: string;
            /** @description the members that are wrong, at most 20 */
            errors?: components["schemas"]["FieldError"][];
        };
        IntentRequest: {
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            agentId: string;
            /**
             * @description The action that the agent wants to take, as free text.
             * @example Read user profile data
             */
            rawIntent: string;
            /** @description A claim; fractions round down. It can only lower the recorded score. */
            trustScore?: number;
            /**
             * @description Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.
             * @example {
             *       "ticket": "OPS-1234",
             *       "source_ip": "192.0.2.7"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
        };
        /** @description Computed by the policies of stage intake. */
        Risk: {
            /**
             * @description low below 400, medium below 700, else high.
             * @enum {string}
             */
            level: "low" | "medium" | "high";
            /** @description 0 to 1000. */
            score: number;
            /** @description What the score consists of. */
            factors: {
                /** @description Its name. */
                factor: string;
                /** @description Its part of the score. */
                score: number;
                /** @description What it found, as a sentence. */
                message: string;
            }[];
            /** @description The risk without factors that count only because facts are missing; present when there are such factors. Where it differs, rules of stage enforce treat the risk as missing. */
            certain?: {
                /**
                 * @description low below 400, medium below 700, else high.
                 * @enum {string}
                 */
                level: "low" | "medium" | "high";
                /** @description 0 to 1000. */
                score: number;
            };
            /** @description The risk by the installation's policies alone; present when the organisation's own policies changed it. The verdict is the stricter one of both risks. */
            installation?: {
                /**
                 * @description low below 400, medium below 700, else high.
                 * @enum {string}
                 */
                level: "low" | "medium" | "high";
                /** @description 0 to 1000. */
                score: number;
                /** @description As the member certain of the whole risk. */
                certain?: {
                    /**
                     * @description low below 400, medium below 700, else high.
                     * @enum {string}
                     */
                    level: "low" | "medium" | "high";
                    /** @description 0 to 1000. */
                    score: number;
                };
            };
        };
        Intent: {
            /** @description The intent_id of a parse. */
            intentId: string;
            /** @description The agent. */
            agentId: string;
            /**
             * @description `<domain>.<action>.<object>`, as strict as the text; parsing it again returns it.
             * @example data.read.user_profile
             */
            normalized: string;
            /** @description The kind of thing: `data`, `db`, `email`, ... */
            domain: string;
            /**
             * @description The class of the verb.
             * @enum {string}
             */
            action: "read" | "create" | "update" | "delete" | "execute" | "send" | "transfer" | "grant" | "revoke" | "unknown";
            /** @description The caller's own verb, in its base form; `unknown` when none was found. */
            verb: string;
            /** @description What the verb acts on. */
            object: string;
            /** @description Canonical resources that are named. */
            places: string[];
            /**
             * @description What it does to the object.
             * @enum {string}
             */
            effect: "read" | "write" | "destructive";
            /** @description Properties that make it graver. */
            traits: ("external" | "privileged" | "financial" | "bulk" | "irreversible" | "illicit")[];
            /**
             * @description How many objects are affected.
             * @enum {string}
             */
            extent: "one" | "many" | "all";
            /** @description How sure the reading is, with three decimals. */
            confidence: number;
            /** @description The share of the text that was read, with three decimals. */
            coverage: number;
            /** @description What it does not account for. */
            unread: {
                /** @description Offset. */
                at: number;
                /** @description Without secrets. */
                text: string;
            }[];
            /** @description Other actions that it may request. */
            alternatives: {
                /** @description Likewise. */
                normalized: string;
                /**
                 * @description The class of the verb.
                 * @enum {string}
                 */
                action: "read" | "create" | "update" | "delete" | "execute" | "send" | "transfer" | "grant" | "revoke" | "unknown";
                /** @description The caller's own verb, in its base form; `unknown` when none was found. */
                verb: string;
                /** @description What the verb acts on. */
                object: string;
                /**
                 * @description What it does to the object.
                 * @enum {string}
                 */
                effect: "read" | "write" | "destructive";
                /** @description How sure the reading is, with three decimals. */
                confidence: number;
            }[];
            /** @description What the text names. */
            entities: {
                /** @description Mail addresses. */
                emails: string[];
                /** @description Addresses of pages and services. */
                urls: string[];
                /** @description Names and addresses of hosts. */
                hosts: string[];
                /** @description Sums of money. */
                money: {
                    /** @description In the currency's major unit. */
                    amount: number;
                    /** @description ISO 4217. */
                    currency: string;
                }[];
                /** @description Paths of files. */
                paths: string[];
                /** @description Of tickets, invoices and the like. */
                identifiers: string[];
            };
            /** @description Sensitive kinds of data. */
            dataClasses: ("credentials" | "pii" | "financial" | "health")[];
            /** @description Warnings about the text itself. */
            flags: ("prompt_injection" | "obfuscated" | "negated" | "multi_action" | "not_understood" | "secret_in_text" | "destructive_words")[];
            /** @description Surely; absent otherwise. */
            harmless?: boolean;
            /**
             * @description Of the second reader; absent when it was not asked.
             * @enum {string}
             */
            secondReading?: "agreed" | "raised" | "away";
            /** @description Its reason. */
            secondReadingWhy?: string;
            /** @description What it made stricter: `effect destructive`. */
            secondReadingRaised?: string[];
            risk: components["schemas"]["Risk"];
            /** @description The trust in the agent. */
            trust: {
                claimed: {
                    /** @description 0 to 1000. */
                    score: number;
                    /** @description The level of the score. */
                    level: number;
                } | null;
                /** @description What the signals about the agent say. */
                recorded: {
                    /** @description 0 to 1000. */
                    score: number;
                    /** @description The level of the score. */
                    level: number;
                };
                /** @description The lower of the two. */
                effective: {
                    /** @description 0 to 1000. */
                    score: number;
                    /** @description The level of the score. */
                    level: number;
                };
            };
            /**
             * @description The verdict of this text enforced now. It permits nothing.
             * @enum {string}
             */
            verdictPreview: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
            /** @description The policy set that was in force. */
            policySet: {
                /** @description Its SHA-256, lower-case hex. */
                digest: string;
            };
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
        };
        /** @description A tool call, in place of an intent. */
        ToolCall: {
            /**
             * @description The name that the operator gave the source of the tool: that of its catalogue.
             * @example filesystem
             */
            server: string;
            /**
             * @description The name of the tool.
             * @example write_file
             */
            name: string;
            /**
             * @description As the tool gets them: at most 262144 bytes as JSON without white space, and 32 levels. Stored with the facts of the decision and erased with them; its record has only their digest.
             * @example {
             *       "path": "/srv/app/report.txt",
             *       "content": "done"
             *     }
             */
            arguments: {
                [key: string]: unknown;
            };
            /**
             * @description SHA-256 of the canonical JSON (RFC 8785) of {name, description, inputSchema, annotations} of the tool as the guard saw it, absent members left out. A pinned tool that comes without it counts as changed.
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            definitionDigest?: string;
            /**
             * @description The hints of the server itself. They decide only where its catalogue has trustAnnotations.
             * @example {
             *       "readOnlyHint": true
             *     }
             */
            annotations?: {
                /** @description For people. */
                title?: string;
                /** @description It changes nothing. */
                readOnlyHint?: boolean;
                /** @description It may destroy something. */
                destructiveHint?: boolean;
                /** @description A repeat changes nothing more. */
                idempotentHint?: boolean;
                /** @description It reaches systems outside. */
                openWorldHint?: boolean;
            } & {
                [key: string]: unknown;
            };
        };
        EnforceRequest: {
            /**
             * @description A normalized intent (`data.read.user_profile`), or `action:resource` (`delete:db/production/users`). Exactly one of `intent` and `tool`.
             * @example data.read.user_profile
             */
            intent?: string;
            tool?: components["schemas"]["ToolCall"];
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            agentId: string;
            /** @description A claim: it can only lower the recorded level. */
            trustLevel?: number;
            /** @description The intent_id of a parse. */
            intentId?: string;
            /**
             * @description Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.
             * @example {
             *       "ticket": "OPS-1234",
             *       "source_ip": "192.0.2.7"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
            /** @description The approval that an ESCALATE named, once it is approved: good once, for this agent, intent as it was written or tool call with all its arguments, intent_id and context. It permits what would be ESCALATE, and nothing that is denied. */
            approvalId?: string;
            /** @description Needs admin:*. Adds every candidate rule with the values that it compared. For a key that is bound to agents: of questions about them. */
            explain?: boolean;
            /** @description Needs admin:*. Evaluates without storing: not a decision. */
            dryRun?: boolean;
        };
        /**
         * @description The caller's own words, unchanged: the intent of an enforcement, action and resource of a submitted intent, or the tool that is called. Absent in decisions of versions without this member.
         * @example {
         *       "intent": "delete:db/production/users"
         *     }
         */
        Requested: {
            /** @description Of an enforcement. */
            intent: string;
        } | {
            /** @description Of a submitted intent. */
            action: string;
            /** @description Of a submitted intent. */
            resource: string;
        } | {
            /** @description The tool that is called. */
            tool: {
                /** @description The source of the tool. */
                server: string;
                /** @description Its name. */
                name: string;
            };
        };
        /** @description How the question was read. */
        DecisionIntent: {
            requested?: components["schemas"]["Requested"];
            /** @description `<domain>.<action>.<object>`. */
            normalized: string;
            /** @description The first word of it. */
            domain: string;
            /**
             * @description The class of the verb.
             * @enum {string}
             */
            action: "read" | "create" | "update" | "delete" | "execute" | "send" | "transfer" | "grant" | "revoke" | "unknown";
            /** @description The caller's own verb. */
            verb: string;
            /** @description Canonical, as policies match it. */
            resource: string;
            /**
             * @description What it does to the resource.
             * @enum {string}
             */
            effect: "read" | "write" | "destructive";
            /** @description Properties that make it graver. */
            traits: ("external" | "privileged" | "financial" | "bulk" | "irreversible" | "illicit")[];
            risk: components["schemas"]["Risk"];
            /** @description Whether a parse by this agent of the last 15 minutes was joined, named by its intent_id or not. */
            parsed: boolean;
        };
        /** @description The tool call that was asked about. */
        ToolAnswer: {
            /** @description The source of the tool. */
            server: string;
            /** @description The name of the tool. */
            name: string;
            /** @description `sha256:` and SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of the arguments. */
            argumentsDigest: string;
            /** @description Whether a catalogue says what the call does. Otherwise its action is `unknown`. */
            known: boolean;
            /** @description Whether the catalogue pins another definition of the tool. Then the action is `unknown`, too. */
            changed: boolean;
        };
        /** @description The trust in the agent. */
        DecisionTrust: {
            claimedLevel: number | null;
            /** @description What the signals about the agent say. */
            recordedLevel: number;
            /** @description The lower of the two. */
            effectiveLevel: number;
            /** @description The recorded score. */
            score: number;
            /** @description 1 without any evidence. */
            uncertainty: number;
            /** @description What the score was computed from. */
            asOf: {
                /** @description How many signals were counted. */
                signals: number;
                /** @description UTC day, YYYY-MM-DD. */
                day: string;
            };
        };
        Reason: {
            /** @description The id of the policy, or of the rules that the service itself has. */
            policy: string;
            /** @description The name of its rule. */
            rule: string;
            /**
             * @description What the rule demands.
             * @enum {string}
             */
            effect: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
            /** @description For programs: stable while the rule keeps its meaning. */
            code: string;
            /** @description For people. */
            message: string;
        };
        /**
         * @description What the caller must do after DEGRADE: redact_fields {fields}, max_rows {limit}, read_only, rate {limit, perSeconds}, or another kind with its data in params. A caller that does not know a kind must not act.
         * @example {
         *       "type": "max_rows",
         *       "limit": 100
         *     }
         * @example {
         *       "type": "redact_fields",
         *       "fields": [
         *         "email"
         *       ]
         *     }
         */
        Obligation: {
            /** @description The kind. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Budgets that were read, by name. A permission counts against them. Absent when no rule with a budget would permit. */
        BudgetsLeft: {
            /** @description As in the policies. */
            name: string;
            /** @description Of one window. */
            limit: number;
            /** @description After this decision. */
            left: number;
            /** @description How long a permission counts. */
            window: string;
        }[];
        ApproverDemand: {
            /** @description The policy whose rule demands it. */
            policy: string;
            /** @description The name of the rule. */
            rule: string;
            /** @description Keys that may approve. */
            keys: string[];
            /** @description Keys with one of these tags may approve, too. */
            tags: string[];
            /** @description How many different hands must approve. */
            atLeast: number;
        };
        /** @description One signature for several promises of a log. */
        PromiseBatch: {
            /** @description How many promises were signed together. */
            size: number;
            /** @description The place of this promise among them. */
            index: number;
            /** @description The inclusion path (RFC 9162), nearest first. */
            path: string[];
            /** @description Ed25519, base64, of the root and the size. */
            signature: string;
        };
        /** @description A signed promise that the record will be in the log by the deadline, with `signature` or `batch`. `custos verify promise.json --log FILE` detects a broken one. */
        Promise: {
            /** @description Origin of the log. */
            log: string;
            /** @description Names the record. */
            proofId: string;
            /** @description SHA-256 of the record's canonical bytes without its previousHash, lower-case hex. */
            recordDigest: string;
            /** @description RFC 3339, UTC, milliseconds. */
            issuedAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            deadline: string;
            /** @description The thumbprint of the promise key. */
            keyId: string;
            /** @description Ed25519, base64, of this promise alone; /v1/log/keys has the key. */
            signature?: string;
            batch?: components["schemas"]["PromiseBatch"];
        };
        ExplainedRule: {
            /** @description The id of the policy. */
            policy: string;
            /** @description The name of its rule. */
            rule: string;
            /** @description What the rule demands. */
            effect: string;
            /** @description Whether its conditions hold. */
            matched: boolean;
            /** @description Why it was skipped, or did not count although its conditions hold. */
            skipped?: string;
            /** @description The budget of the rule. */
            budget?: {
                /** @description Its name. */
                name: string;
                /** @description How long a permission counts. */
                window: string;
                /** @description What permissions of one window may add up to. */
                limit: number;
                /** @description What was used before; 0 where the use was not read. */
                used: number;
                /** @description What this request needs. */
                amount?: number;
            };
            /** @description Its conditions, in their order. */
            conditions: {
                /** @description The fact that is compared. */
                fact: string;
                /** @description The member of the fact. */
                path?: string;
                /** @description How it is compared. */
                operator: string;
                /** @description The value in the rule; of a comparison of two facts, that of expectedFact. */
                expected: unknown;
                /** @description The named condition that it is part of. */
                condition?: string;
                /** @description The constant that is the expected value. */
                constant?: string;
                /** @description The fact that the rule compares with. */
                expectedFact?: {
                    /** @description The fact. */
                    fact: string;
                    /** @description Its member. */
                    path?: string;
                };
                /** @description The value of the fact. */
                actual?: unknown;
                /** @description The item that decided. */
                item?: {
                    /** @description From 0. */
                    index: number;
                    /** @description The item. */
                    actual: unknown;
                };
                /** @description Whether the fact is missing. */
                missing: boolean;
                /** @description Whether the condition holds. */
                result: boolean;
            }[];
            /** @description Alternatives of `any`, each of which alone decides whether the rule holds; absent when there are none. */
            alternatives?: {
                /** @description The alternative in words. */
                text: string;
                /** @description Its comparisons: positions in `conditions`, from 0. */
                conditions: number[];
                /** @description The comparisons of all alternatives of the same `any`. */
                of: number[];
            }[];
        };
        Decision: {
            /** @description Names the decision, and its record. */
            decisionId: string;
            /** @description X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the first request. Absent in older decisions. */
            requestId?: string;
            /** @description Whether the verdict is ALLOW or DEGRADE. */
            allowed: boolean;
            /**
             * @description DEGRADE permits with obligations; ESCALATE waits for a human.
             * @enum {string}
             */
            verdict: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
            /** @description The agent that was asked about. */
            agentId: string;
            /** @description The key that asked. */
            keyId: string;
            intent: components["schemas"]["DecisionIntent"];
            tool?: components["schemas"]["ToolAnswer"];
            trust: components["schemas"]["DecisionTrust"];
            /** @description By severity, DENY first. Never empty. */
            reasons: components["schemas"]["Reason"][];
            obligations: components["schemas"]["Obligation"][];
            budgets?: components["schemas"]["BudgetsLeft"];
            /** @description The policy set that was in force. */
            policySet: {
                /** @description Its SHA-256, lower-case hex. */
                digest: string;
            };
            /** @description RFC 3339, UTC, milliseconds. */
            evaluatedAt: string;
            /** @description With ESCALATE: the approval that a human must give, and until when; another than the named one where more is demanded now. */
            approval?: {
                /** @description Sent with the question once it is approved. */
                approvalId: string;
                /** @description RFC 3339, UTC, milliseconds. */
                expiresAt: string;
                /** @description Who must approve: what each rule demands, all of which must be met. Absent: any admin key. */
                approvers?: components["schemas"]["ApproverDemand"][];
            };
            /** @description The record of the decision in the log. */
            proof: {
                /** @description For GET /v1/proofs/{id}. */
                proofId: string;
                promise?: components["schemas"]["Promise"];
            };
            /** @description RFC 3339, UTC, milliseconds. */
            expiresAt: string;
            /** @description Every candidate rule with its conditions, the values that they compared, and why a rule was skipped. */
            explanation?: components["schemas"]["ExplainedRule"][];
        };
        /** @description The verdict that a decision would have. Not a decision: no id, no proof, nothing stored. */
        DryRun: {
            /**
             * @description Tells it from a decision.
             * @constant
             */
            dryRun: true;
            /**
             * @description A dry run permits nothing.
             * @constant
             */
            allowed: false;
            /**
             * @description DEGRADE permits with obligations; ESCALATE waits for a human.
             * @enum {string}
             */
            verdict: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
            /** @description The agent that was asked about. */
            agentId: string;
            /** @description The key that asked. */
            keyId: string;
            intent: components["schemas"]["DecisionIntent"];
            tool?: components["schemas"]["ToolAnswer"];
            trust: components["schemas"]["DecisionTrust"];
            /** @description By severity, DENY first. Never empty. */
            reasons: components["schemas"]["Reason"][];
            obligations: components["schemas"]["Obligation"][];
            budgets?: components["schemas"]["BudgetsLeft"];
            /** @description The policy set that was in force. */
            policySet: {
                /** @description Its SHA-256, lower-case hex. */
                digest: string;
            };
            /** @description RFC 3339, UTC, milliseconds. */
            evaluatedAt: string;
            /** @description Every candidate rule with its conditions, the values that they compared, and why a rule was skipped. */
            explanation?: components["schemas"]["ExplainedRule"][];
        };
        /** @description The decision, or for a request with `dry_run` what it would have been: `dry_run` tells them apart. */
        EnforceResponse: components["schemas"]["Decision"] | components["schemas"]["DryRun"];
        EnforceBatchRequest: {
            /** @description Answered in this order. */
            requests: components["schemas"]["EnforceRequest"][];
        };
        EnforceBatchFailure: {
            error: components["schemas"]["Problem"];
        };
        EnforceBatchResponse: {
            /** @description One answer for each request, in their order. `error` tells a failed one, and `dry_run` a dry run, from a decision. */
            decisions: (components["schemas"]["Decision"] | components["schemas"]["DryRun"] | components["schemas"]["EnforceBatchFailure"])[];
        };
        IntentSubmission: {
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            agentId: string;
            /**
             * @description An action, or a finer verb of the lexicon. Either `action` and `resource`, or `tool`.
             * @example read
             */
            action?: string;
            /**
             * @description What it acts on; a trailing `*` segment stands for one or more segments.
             * @example db/customers/*
             */
            resource?: string;
            tool?: components["schemas"]["ToolCall"];
            /**
             * @description Your own facts for policies (`context.*`). A missing fact can only make an answer stricter.
             * @example {
             *       "ticket": "OPS-1234",
             *       "source_ip": "192.0.2.7"
             *     }
             */
            context?: {
                [key: string]: unknown;
            };
        };
        IntentAccepted: {
            /** @description For GET /v1/intents/{id}. */
            intentId: string;
            /**
             * @description It waits for a worker.
             * @enum {string}
             */
            status: "queued";
        };
        /** @description A stored decision: the original answer, and whether it stands now. */
        DecisionOnRecord: {
            /** @description Names the decision, and its record. */
            decisionId: string;
            /** @description X-Request-Id of the request that asked or submitted the intent; under an Idempotency-Key that of the first request. Absent in older decisions. */
            requestId?: string;
            /** @description Whether the verdict is ALLOW or DEGRADE. */
            allowed: boolean;
            /**
             * @description DEGRADE permits with obligations; ESCALATE waits for a human.
             * @enum {string}
             */
            verdict: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
            /** @description The agent that was asked about. */
            agentId: string;
            /** @description The key that asked. */
            keyId: string;
            intent: components["schemas"]["DecisionIntent"];
            tool?: components["schemas"]["ToolAnswer"];
            trust: components["schemas"]["DecisionTrust"];
            /** @description By severity, DENY first. Never empty. */
            reasons: components["schemas"]["Reason"][];
            obligations: components["schemas"]["Obligation"][];
            budgets?: components["schemas"]["BudgetsLeft"];
            /** @description The policy set that was in force. */
            policySet: {
                /** @description Its SHA-256, lower-case hex. */
                digest: string;
            };
            /** @description RFC 3339, UTC, milliseconds. */
            evaluatedAt: string;
            /** @description With ESCALATE: the approval that a human must give, and until when; another than the named one where more is demanded now. */
            approval?: {
                /** @description Sent with the question once it is approved. */
                approvalId: string;
                /** @description RFC 3339, UTC, milliseconds. */
                expiresAt: string;
                /** @description Who must approve: what each rule demands, all of which must be met. Absent: any admin key. */
                approvers?: components["schemas"]["ApproverDemand"][];
            };
            /** @description The record of the decision in the log. */
            proof: {
                /** @description For GET /v1/proofs/{id}. */
                proofId: string;
                promise?: components["schemas"]["Promise"];
            };
            /** @description RFC 3339, UTC, milliseconds. */
            expiresAt: string;
            /** @description Whether it may be acted upon now. Not part of the record: it is computed when the decision is read. */
            stands: boolean;
            /**
             * @description The first reason why it does not stand: it permits nothing, it has expired, the environment is halted, the agent is not active, or the key that asked (with its rotations) is no longer valid.
             * @enum {string}
             */
            standsReason?: "verdict" | "expired" | "halted" | "agent_not_active" | "key_invalid" | "not_carried_out";
        };
        SubmittedIntent: {
            /** @description Names it. */
            intentId: string;
            /** @description The agent. */
            agentId: string;
            /** @description Of a tool call: what its catalogue said when it was accepted. */
            action: string;
            /** @description As it was submitted; of a tool call as `action`. */
            resource: string;
            /**
             * @description queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed has a recorded DENY with reason EVALUATION_FAILED. KEY_INVALID: the key that submitted it was revoked or had expired.
             * @enum {string}
             */
            status: "queued" | "evaluating" | "waiting_approval" | "decided" | "failed";
            approvalId: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            submittedAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            updatedAt: string;
            decision: components["schemas"]["DecisionOnRecord"] | null;
        };
        SubmittedIntentList: {
            /** @description One page of them. */
            items: components["schemas"]["SubmittedIntent"][];
            nextCursor: string | null;
        };
        DecisionList: {
            /** @description One page of them. */
            items: components["schemas"]["DecisionOnRecord"][];
            nextCursor: string | null;
        };
        OutcomeRequest: {
            /**
             * @description done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried, and will not be.
             * @enum {string}
             */
            outcome: "done" | "failed" | "not_carried_out";
            /**
             * @description Stored in the log permanently.
             * @example The tool server refused the call
             */
            detail?: string;
        };
        OutcomeAnswer: {
            /** @description The decision. */
            decisionId: string;
            /**
             * @description done: the action was carried out. failed: it was tried and failed. not_carried_out: it was not tried, and will not be.
             * @enum {string}
             */
            outcome: "done" | "failed" | "not_carried_out";
            detail: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            reportedAt: string;
        };
        ApprovalDemand: {
            /** @description The policy whose rule demands it. */
            policy: string;
            /** @description The name of the rule. */
            rule: string;
            /** @description Keys that may approve. */
            keys: string[];
            /** @description Keys with one of these tags may approve, too. */
            tags: string[];
            /** @description How many different hands must approve. */
            atLeast: number;
            /** @description Keys whose votes count, one of each hand. */
            approvedBy: string[];
            /** @description How many votes are missing. */
            missing: number;
        };
        ApprovalVote: {
            /** @description The key that approved. */
            by: string;
            /** @description RFC 3339, UTC, milliseconds. */
            at: string;
            /** @description The reason it gave. */
            reason: string;
        };
        Approval: {
            requested: components["schemas"]["Requested"] | null;
            /**
             * @description Names it.
             * @example apr_01jq3kzv5w8e3h2c4n9m7x6y1t
             */
            approvalId: string;
            /**
             * @description pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time.
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "expired" | "used";
            /** @description The agent. */
            agentId: string;
            /** @description The key that asked. It may not decide, nor may a key that it created or that created it. */
            keyId: string;
            /** @description What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked. */
            digest: string;
            intentId: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            expiresAt: string;
            decidedAt: string | null;
            decidedBy: string | null;
            reason: string | null;
            usedAt: string | null;
            usedBy: string | null;
            usedDecisionId: string | null;
            approvers: components["schemas"]["ApprovalDemand"][] | null;
            /** @description Those who approved, when the rules name approvers; oldest first. */
            votes: components["schemas"]["ApprovalVote"][];
            decision: components["schemas"]["DecisionOnRecord"];
        };
        ApprovalList: {
            /** @description One page of them. */
            items: components["schemas"]["Approval"][];
            nextCursor: string | null;
        };
        ApprovalDetail: {
            requested: components["schemas"]["Requested"] | null;
            /**
             * @description Names it.
             * @example apr_01jq3kzv5w8e3h2c4n9m7x6y1t
             */
            approvalId: string;
            /**
             * @description pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time.
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "expired" | "used";
            /** @description The agent. */
            agentId: string;
            /** @description The key that asked. It may not decide, nor may a key that it created or that created it. */
            keyId: string;
            /** @description What it is bound to: SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of `bound`, which GET /v1/approvals/{id} shows, with secrets in the arguments of a tool call masked. */
            digest: string;
            intentId: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            expiresAt: string;
            decidedAt: string | null;
            decidedBy: string | null;
            reason: string | null;
            usedAt: string | null;
            usedBy: string | null;
            usedDecisionId: string | null;
            approvers: components["schemas"]["ApprovalDemand"][] | null;
            /** @description Those who approved, when the rules name approvers; oldest first. */
            votes: components["schemas"]["ApprovalVote"][];
            decision: components["schemas"]["DecisionOnRecord"];
            /** @description Whether the calling key may decide it while it is pending, and reject it until it is used: not the key that asked, nor its rotations, ancestors or descendants. */
            mayDecide: boolean;
            /** @description Whether `mayDecide`, the calling key is bound to no agents, and the rules name it, if they name approvers. Any key that may decide may reject. */
            mayApprove: boolean;
            /** @description False: there are not enough valid admin keys that the rules name, so nobody can complete this approval. */
            canBeMet: boolean;
            bound: {
                [key: string]: unknown;
            } | null;
            /** @description Which arguments of the tool call in `bound` are masked, and why. */
            masked: {
                /** @description The masked value in the arguments: a JSON Pointer (RFC 6901). */
                pointer: string;
                /**
                 * @description name: its member is named like a secret. private_key: it holds a private key. credential: parts of it have the form of a credential, and only these are masked.
                 * @enum {string}
                 */
                reason: "name" | "private_key" | "credential";
            }[];
            context: {
                [key: string]: unknown;
            } | null;
        };
        ApprovalVerdict: {
            /**
             * @description Stored in the log permanently.
             * @example Ticket OPS-7, backup verified
             */
            reason: string;
        };
        ProofCreate: {
            /**
             * @description What is proven: 1 to 256 characters, no control characters, not beginning with "custos.".
             * @example invoice.approved
             */
            event: string;
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            entityId: string;
            /**
             * @description Any JSON object. It is stored permanently, unchanged.
             * @example {
             *       "invoice": "INV-7",
             *       "amount": 120
             *     }
             */
            payload: {
                [key: string]: unknown;
            };
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            proofId?: string;
        };
        ProofAccepted: {
            /** @description Names the record. */
            proofId: string;
            /**
             * @description pending: accepted and durable; anchored: in the log.
             * @enum {string}
             */
            status: "pending" | "anchored";
            /** @description SHA-256 of JCS of the record without its previousHash, lower-case hex. */
            recordDigest: string;
            promise: components["schemas"]["Promise"];
        };
        ProofBatchCreate: {
            /** @description Anchored in this order. */
            proofs: components["schemas"]["ProofCreate"][];
        };
        ProofBatchAccepted: {
            /** @description In the order of the request. */
            proofs: components["schemas"]["ProofAccepted"][];
        };
        ProofListItem: {
            /** @description Names the record. */
            proofId: string;
            /**
             * @description pending: accepted and durable; anchored: in the log.
             * @enum {string}
             */
            status: "pending" | "anchored";
            /** @description What is proven. */
            event: string;
            /** @description What the record is about. */
            entityId: string;
            index: number | null;
            /** @description RFC 3339, UTC, milliseconds. */
            occurredAt: string;
        };
        ProofList: {
            /** @description One page of them. */
            items: components["schemas"]["ProofListItem"][];
            nextCursor: string | null;
        };
        Receipt: {
            /**
             * @description The version of this form.
             * @constant
             */
            format: "custos-receipt/1";
            /**
             * @description A receipt is of an anchored record.
             * @enum {string}
             */
            status: "anchored";
            /** @description Names the record. */
            proofId: string;
            /** @description Base64 of the canonical bytes. */
            record: string;
            /** @description Position in the log. */
            index: number;
            /** @description The inclusion path, nearest first. */
            path: string[];
            /** @description A signed note (C2SP tlog-checkpoint), the only source of size and root. */
            checkpoint: string;
        };
        Proof: {
            /** @description Names the record. */
            proofId: string;
            /**
             * @description It is in the log.
             * @enum {string}
             */
            status: "anchored";
            /** @description What is proven. */
            event: string;
            /** @description What the record is about. */
            entityId: string;
            record: string | null;
            /** @description Position in the log. */
            index: number;
            /** @description Position in the entity's chain. */
            chainIndex: number;
            /** @description SHA-256 of the record. */
            eventHash: string;
            /** @description The eventHash of the record before it in the entity's chain. */
            previousHash: string;
            /** @description RFC 3339, UTC, milliseconds. */
            occurredAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            anchoredAt: string;
        };
        ProofChain: {
            /** @description What the record is about. */
            entityId: string;
            head: {
                /** @description Its position in the chain. */
                chainIndex: number;
                /** @description SHA-256 of the record. */
                eventHash: string;
            } | null;
            /** @description One page of them. */
            items: components["schemas"]["Proof"][];
            nextCursor: string | null;
        };
        Checkpoint: {
            /** @description A number of leaves. */
            size: number;
            /** @description SHA-256, lower-case hex. */
            root: string;
            /** @description The signed note (C2SP tlog-checkpoint). */
            note: string;
            /** @description RFC 3339, UTC, milliseconds. */
            signedAt: string;
        };
        CheckpointList: {
            /** @description One page of them. */
            items: components["schemas"]["Checkpoint"][];
            nextCursor: string | null;
        };
        LogKeys: {
            /** @description One page of them. */
            items: {
                /** @description Its thumbprint (RFC 7638). */
                keyId: string;
                /** @description A C2SP note verifier key, named by the origin of the log, or `<origin>/promise`. */
                vkey: string;
                /**
                 * @description What it signs: checkpoints, or promises.
                 * @enum {string}
                 */
                use: "log" | "promise";
                /** @description The smallest tree that it may sign; 0 of a promise key. */
                firstSize: number;
                lastSize: number | null;
            }[];
            nextCursor: string | null;
        };
        Consistency: {
            /** @description The smaller number of leaves. */
            from: number;
            /** @description The larger one. */
            to: number;
            /** @description The consistency path. */
            path: string[];
        };
        /** @description At most 1,000 hashes; `to` is the end of the returned range. */
        LeafHashes: {
            /** @description The smaller number of leaves. */
            from: number;
            /** @description The larger one. */
            to: number;
            /** @description Of the leaves from `from` up to `to`. */
            hashes: string[];
        };
        Verification: {
            /** @description Whether every check passed. */
            valid: boolean;
            failure: string | null;
            sentence: string | null;
            origin: string | null;
            size: number | null;
            root: string | null;
            index: number | null;
            proofId: string | null;
        };
        AgentCreate: {
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            agentId?: string;
            /** @description For people. */
            name: string;
            /** @description What it does, for people. */
            description?: string;
            /** @description What it is made for; a fact for policies. */
            capabilities?: string[];
            /** @description Words of your own; a fact for policies. */
            tags?: string[];
            /**
             * @description Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
             * @example {
             *       "team": "finance"
             *     }
             */
            attributes?: {
                [key: string]: unknown;
            };
            /** @description An object of your own, at most 16 kB of JSON; returned unchanged. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @description The trust in the agent now. */
        TrustSummary: {
            /** @description 0 to 1000. */
            score: number;
            /** @description The level of the score. */
            level: number;
            /**
             * @description The name of the level.
             * @enum {string}
             */
            tier: "Sandbox" | "Observed" | "Provisional" | "Monitored" | "Standard" | "Trusted" | "Certified" | "Autonomous";
            /** @description 1 without any evidence. */
            uncertainty: number;
        };
        Agent: {
            /** @description Names it, for ever. */
            agentId: string;
            /** @description For people. */
            name: string;
            description: string | null;
            /** @description What it is made for; a fact for policies. */
            capabilities: string[];
            /** @description Words of your own; a fact for policies. */
            tags: string[];
            /**
             * @description Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
             * @example {
             *       "team": "finance"
             *     }
             */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Attributes that contradict the declarations of the policy set in force: rules count them as missing. Absent: none. */
            attributesIgnored?: {
                /** @description The attribute. */
                name: string;
                /** @description How it contradicts its declaration. */
                message: string;
            }[];
            metadata: {
                [key: string]: unknown;
            } | null;
            /**
             * @description ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied.
             * @enum {string}
             */
            status: "ACTIVE" | "PAUSED" | "SUSPENDED" | "TERMINATED";
            trust: components["schemas"]["TrustSummary"];
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            updatedAt: string;
        };
        AgentList: {
            /** @description One page of them. */
            items: components["schemas"]["Agent"][];
            nextCursor: string | null;
        };
        AgentUpdate: {
            /** @description For people. */
            name?: string;
            description?: string | null;
            /** @description What it is made for; a fact for policies. */
            capabilities?: string[];
            /** @description Words of your own; a fact for policies. */
            tags?: string[];
            /**
             * @description Facts `agent.attributes.<name>` of policies, declared with their types in attributes.json of the set.
             * @example {
             *       "team": "finance"
             *     }
             */
            attributes?: {
                [key: string]: unknown;
            };
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied.
             * @enum {string}
             */
            status?: "ACTIVE" | "PAUSED" | "SUSPENDED" | "TERMINATED";
            /**
             * @description Why the status changes; only together with `status`. Stored in the log permanently, on the chain of the agent.
             * @example It retries a denied transfer every minute, incident 42
             */
            reason?: string;
        };
        Resource: {
            /** @description The canonical name. */
            name: string;
            class: string | null;
            owner: string | null;
            /** @description The other attributes, facts `resource.attributes.<name>`. */
            attributes: {
                [key: string]: unknown;
            };
            /** @description Attributes that contradict the declarations of the policy set in force: rules count them as missing. Absent: none. */
            attributesIgnored?: {
                /** @description The attribute. */
                name: string;
                /** @description How it contradicts its declaration. */
                message: string;
            }[];
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            updatedAt: string;
        };
        ResourceList: {
            /** @description One page of them. */
            items: components["schemas"]["Resource"][];
            nextCursor: string | null;
        };
        /** @description All that the entry says: what is left out is not kept. */
        ResourcePut: {
            /**
             * @description what kind of resource it is; the fact resource.attributes.class
             * @example confidential
             */
            class?: string;
            /**
             * @description who owns it; the fact resource.attributes.owner
             * @example finance
             */
            owner?: string;
            /**
             * @description further attributes by name, each declared in attributes.json; facts resource.attributes.<name>
             * @example {
             *       "region": "eu"
             *     }
             */
            attributes?: {
                [key: string]: unknown;
            };
        };
        TrustSignal: {
            /**
             * @description Identifies the signal permanently: a repeat counts once, and a different signal with the same id is refused (E2010). Generated when absent.
             * @example run-2231/step-4
             */
            signalId?: string;
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            agentId: string;
            /**
             * @description What was observed. A violation weighs as much as ten failures.
             * @enum {string}
             */
            type: "success" | "failure" | "violation";
            /**
             * @description Whole thousandths: 0.001 to 1. Absent: 1.
             * @example 1
             * @example 0.25
             */
            weight?: number;
            /**
             * Format: date-time
             * @description RFC 3339. At most 5 minutes ahead and 30 days back. Absent: now.
             */
            occurredAt?: string;
            /**
             * @description The observer; no control characters.
             * @example ci
             */
            source?: string;
            /** @description An object of your own, at most 16 kB of JSON; kept with the signal. */
            evidence?: {
                [key: string]: unknown;
            };
        };
        TrustSignalBatch: {
            /** @description All are accepted or none. */
            signals: components["schemas"]["TrustSignal"][];
        };
        /**
         * @description One signal, or `signals` with up to a thousand. The member `signals` tells them apart.
         * @example {
         *       "agentId": "agent-7",
         *       "type": "success"
         *     }
         * @example {
         *       "signals": [
         *         {
         *           "signalId": "run-2231/step-4",
         *           "agentId": "agent-7",
         *           "type": "failure",
         *           "weight": 0.5,
         *           "source": "ci"
         *         }
         *       ]
         *     }
         */
        TrustSignalsRequest: components["schemas"]["TrustSignal"] | components["schemas"]["TrustSignalBatch"];
        TrustSignalsAccepted: {
            /** @description In the order of the request. */
            signalIds: string[];
        };
        Trust: {
            /** @description The agent. */
            agentId: string;
            /** @description In decisions an unregistered agent has at most the score without evidence (250). */
            registered: boolean;
            /** @description 0 to 1000. */
            score: number;
            /** @description The level of the score. */
            level: number;
            /**
             * @description The name of the level.
             * @enum {string}
             */
            tier: "Sandbox" | "Observed" | "Provisional" | "Monitored" | "Standard" | "Trusted" | "Certified" | "Autonomous";
            /** @description 1 without any evidence. */
            uncertainty: number;
            /** @description What the score is computed from. */
            evidence: {
                /** @description The amount that counts on that day: capped and decayed, in full signals. */
                positive: number;
                /** @description The amount that counts on that day: decayed, in full failures. */
                negative: number;
                lastSignalAt: string | null;
            };
            /** @description The moment of the score. */
            asOf: {
                /** @description How many signals were folded: the first n of this agent. */
                signals: number;
                /** @description UTC day, YYYY-MM-DD. */
                day: string;
            };
        };
        TrustChange: {
            /** @description RFC 3339, UTC, milliseconds. */
            at: string;
            /** @description 0 to 1000. */
            score: number;
            /** @description The level of the score. */
            level: number;
            /**
             * @description The name of the level.
             * @enum {string}
             */
            tier: "Sandbox" | "Observed" | "Provisional" | "Monitored" | "Standard" | "Trusted" | "Certified" | "Autonomous";
            /** @description The signals that led to the score, counted by type. */
            cause: {
                /** @description Signals of the agent are numbered without gaps. */
                firstSignal: number;
                /** @description The number of the last one. */
                lastSignal: number;
                /** @description Successes. */
                success: number;
                /** @description Failures. */
                failure: number;
                /** @description Violations. */
                violation: number;
                /** @description The `custos.trust` record that holds these signals. */
                proofId: string;
            };
        };
        TrustHistory: {
            /** @description One page of them. */
            items: components["schemas"]["TrustChange"][];
            nextCursor: string | null;
        };
        KeyCreate: {
            /**
             * @description For people.
             * @example billing gateway
             */
            name: string;
            /** @description No scope twice. `admin:*` implies all. */
            scopes: ("agents:read" | "agents:write" | "intents:write" | "trust:read" | "trust:write" | "proofs:read" | "admin:*")[];
            /**
             * @description A number and a unit letter (m, h, d, w), 1m to 3650d. Absent: no expiry.
             * @example 90d
             */
            expiresIn?: string;
            /** @description Binds the key: it may name only these agents. Absent: all agents of the organisation. */
            agentIds?: string[];
            /** @description Types of obligations that the holder of the key keeps. An AuthZEN evaluation that is DEGRADE is `true` for this key if all of its obligations are among them. Absent: none. */
            keepsObligations?: string[];
            /**
             * @description Words of your own; the fact `key.tags` of policies, which also name approvers by them. They never change. Absent: none.
             * @example [
             *       "finance"
             *     ]
             */
            tags?: string[];
            /**
             * @description Default: the calling key's. Only a live key may name another.
             * @enum {string}
             */
            environment?: "live" | "test" | "dev";
            /** @description Rate limit tier, at most the organisation's. Default: 4, or the organisation's when that is lower. */
            tier?: number;
        };
        KeyCreated: {
            /**
             * @description Names the key; not secret.
             * @example 4fZ0q9Lm
             */
            keyId: string;
            /** @description For people. */
            name: string;
            /** @description What it may do: see GET /v1/reference/scopes. */
            scopes: ("agents:read" | "agents:write" | "intents:write" | "trust:read" | "trust:write" | "proofs:read" | "admin:*")[];
            agentIds: string[] | null;
            /** @description Types of obligations that its holder keeps. */
            keepsObligations: string[];
            /** @description Words of your own; a fact for policies. */
            tags: string[];
            /**
             * @description Where it works.
             * @enum {string}
             */
            environment: "live" | "test" | "dev";
            /** @description Its rate limit: see GET /v1/reference/rate-limits. */
            tier: number;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            expiresAt: string | null;
            /** @description The key itself. Shown only once, and not in a repeat with an Idempotency-Key; only a hash is stored. */
            key?: string;
        };
        Key: {
            /**
             * @description Names the key; not secret.
             * @example 4fZ0q9Lm
             */
            keyId: string;
            /** @description For people. */
            name: string;
            /** @description What it may do: see GET /v1/reference/scopes. */
            scopes: ("agents:read" | "agents:write" | "intents:write" | "trust:read" | "trust:write" | "proofs:read" | "admin:*")[];
            agentIds: string[] | null;
            /** @description Types of obligations that its holder keeps. */
            keepsObligations: string[];
            /** @description Words of your own; a fact for policies. */
            tags: string[];
            /**
             * @description Where it works.
             * @enum {string}
             */
            environment: "live" | "test" | "dev";
            /** @description Its rate limit: see GET /v1/reference/rate-limits. */
            tier: number;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            expiresAt: string | null;
            createdBy: string | null;
            revokedAt: string | null;
            replacedBy: string | null;
            lastUsedAt: string | null;
        };
        KeyList: {
            /** @description One page of them. */
            items: components["schemas"]["Key"][];
            nextCursor: string | null;
        };
        KeyRotate: {
            /**
             * @description How long the old key stays valid: a number and a unit letter (m, h, d, w), 0m (it ends at once) to 30d. Default: 1h.
             * @example 24h
             */
            overlap?: string;
        };
        KeyRotated: {
            /**
             * @description Names the key; not secret.
             * @example 4fZ0q9Lm
             */
            keyId: string;
            /** @description For people. */
            name: string;
            /** @description What it may do: see GET /v1/reference/scopes. */
            scopes: ("agents:read" | "agents:write" | "intents:write" | "trust:read" | "trust:write" | "proofs:read" | "admin:*")[];
            agentIds: string[] | null;
            /** @description Types of obligations that its holder keeps. */
            keepsObligations: string[];
            /** @description Words of your own; a fact for policies. */
            tags: string[];
            /**
             * @description Where it works.
             * @enum {string}
             */
            environment: "live" | "test" | "dev";
            /** @description Its rate limit: see GET /v1/reference/rate-limits. */
            tier: number;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            expiresAt: string | null;
            /** @description The key itself. Shown only once, and not in a repeat with an Idempotency-Key; only a hash is stored. */
            key?: string;
            /** @description The old key, and when it ends. */
            replaces: {
                /**
                 * @description Names the key; not secret.
                 * @example 4fZ0q9Lm
                 */
                keyId: string;
                /** @description RFC 3339, UTC, milliseconds. */
                expiresAt: string;
            };
        };
        HaltRequest: {
            /**
             * @description Stored in the log permanently.
             * @example Runaway agent, incident 42
             */
            reason: string;
        };
        HaltState: {
            /**
             * @description That of the key.
             * @enum {string}
             */
            environment: "live" | "test" | "dev";
            /** @description Whether every verdict is DENY now. */
            halted: boolean;
            reason: string | null;
            keyId: string | null;
            since: string | null;
        };
        HaltLift: {
            /**
             * @description Why the environment may act again. Stored in the log permanently.
             * @example The agent is fixed, incident 42
             */
            reason?: string;
        };
        /** @description The draft, as files or as the digest of a set that was in force; and which decisions. */
        ReplayRequest: {
            /** @description A lexicon may be among them; else that in force is used. */
            files?: {
                /** @description The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource, attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy. */
                path: string;
                /** @description The text of the file. */
                text: string;
            }[];
            /** @description Of a policy set, SHA-256, lower-case hex. */
            digest?: string;
            /**
             * @description Length of the range that ends now; default without `from`: 7d.
             * @example 7d
             */
            since?: string;
            /**
             * Format: date-time
             * @description RFC 3339 date and time.
             */
            from?: string;
            /**
             * Format: date-time
             * @description RFC 3339 date and time.
             */
            to?: string;
            /**
             * @description Absent: live.
             * @enum {string}
             */
            environment?: "live" | "test" | "dev";
            /**
             * @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:".
             * @example agent-7
             */
            agentId?: string;
        };
        /** @description How many decisions were looked at. */
        ReplayReportDecisions: {
            /** @description All of the range. */
            total: number;
            /** @description Those that were evaluated again. */
            evaluated: number;
            /** @description Answers that do not depend on policies: halts, refused approvals, failed evaluations. */
            standing: number;
            /** @description Those that could not be evaluated again. */
            notEvaluable: {
                /** @description All of them. */
                total: number;
                /** @description Retention has erased their facts. */
                factsErased: number;
                /** @description Record or facts were altered; `custos decision verify` gives details. */
                damaged: number;
                /** @description Their facts do not give the recorded result under the set that made them. */
                notReproduced: number;
            };
        };
        /** @description How many would be different. */
        ReplayReportChanged: {
            /** @description Changed decisions. */
            decisions: number;
            /** @description Those whose verdict is stricter under the draft. */
            stricter: number;
            /** @description Those whose verdict is looser under the draft. */
            looser: number;
            /** @description DEGRADE, with other obligations. */
            obligations: number;
            /** @description ESCALATE, with other approvers. */
            approvers: number;
            /** @description ESCALATE, with another lifetime. */
            ttl: number;
            /** @description From other budgets. */
            budgets: number;
        };
        /** @description Changed decisions by rules that are newly, or no longer, among their reasons. */
        ReplayReportRules: {
            /** @description The largest first. */
            items: {
                /** @description The id of the policy. */
                policy: string;
                /** @description The name of its rule. */
                rule: string;
                /**
                 * @description What it demands.
                 * @enum {string}
                 */
                effect: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description Decisions that have it as a reason under the draft only. */
                newly: number;
                /** @description Decisions that have it as a reason in the record only. */
                noLonger: number;
            }[];
            /** @description Further entries, not shown. */
            more: number;
            /** @description Changes of entries that were too many to be counted one by one. */
            beyond: number;
        };
        /** @description Changed decisions by agent. */
        ReplayReportAgents: {
            /** @description The largest first. */
            items: {
                /** @description Its slug. */
                organisation: string;
                /** @description live, test or dev. */
                environment: string;
                /** @description The agent. */
                agentId: string;
                /** @description Changed decisions. */
                decisions: number;
                /** @description Those whose verdict is stricter under the draft. */
                stricter: number;
                /** @description Those whose verdict is looser under the draft. */
                looser: number;
            }[];
            /** @description Further entries, not shown. */
            more: number;
            /** @description Changes of entries that were too many to be counted one by one. */
            beyond: number;
        };
        /** @description Changed decisions by resource. */
        ReplayReportResources: {
            /** @description The largest first. */
            items: {
                /** @description The canonical resource. */
                resource: string;
                /** @description Changed decisions. */
                decisions: number;
                /** @description Those whose verdict is stricter under the draft. */
                stricter: number;
                /** @description Those whose verdict is looser under the draft. */
                looser: number;
            }[];
            /** @description Further entries, not shown. */
            more: number;
            /** @description Changes of entries that were too many to be counted one by one. */
            beyond: number;
        };
        /** @description Changed decisions by organisation and environment. */
        ReplayReportEnvironments: {
            /** @description The largest first. */
            items: {
                /** @description Its slug. */
                organisation: string;
                /** @description live, test or dev. */
                environment: string;
                /** @description Changed decisions. */
                decisions: number;
                /** @description Those whose verdict is stricter under the draft. */
                stricter: number;
                /** @description Those whose verdict is looser under the draft. */
                looser: number;
            }[];
            /** @description Further entries, not shown. */
            more: number;
            /** @description Changes of entries that were too many to be counted one by one. */
            beyond: number;
        };
        ReplayReportExamples: {
            /** @description The decision. */
            decisionId: string;
            /** @description RFC 3339, UTC, milliseconds. */
            evaluatedAt: string;
            /** @description Its slug. */
            organisation: string;
            /** @description live, test or dev. */
            environment: string;
            /** @description The agent. */
            agentId: string;
            /** @description The normalized intent. */
            intent: string;
            /** @description The canonical resource. */
            resource: string;
            /** @description The tool that was called; absent for other questions. */
            tool?: {
                /** @description The source of the tool. */
                server: string;
                /** @description Its name. */
                name: string;
            };
            /** @description As it was recorded. */
            before: {
                /**
                 * @description The verdict.
                 * @enum {string}
                 */
                verdict: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description The first five. */
                reasons: components["schemas"]["Reason"][];
                /** @description Its obligations. */
                obligations: {
                    [key: string]: unknown;
                }[];
            };
            /** @description Under the draft. */
            after: {
                /**
                 * @description The verdict.
                 * @enum {string}
                 */
                verdict: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description The first five. */
                reasons: components["schemas"]["Reason"][];
                /** @description Its obligations. */
                obligations: {
                    [key: string]: unknown;
                }[];
            };
            /** @description In what they differ. */
            differs?: ("verdict" | "obligations" | "approvers" | "ttl" | "budgets")[];
        };
        /** @description What the draft would have decided otherwise. */
        ReplayReport: {
            /** @description What was evaluated. */
            draft: {
                /** @description Of a policy set, SHA-256, lower-case hex. */
                digest: string;
                /** @description Its number of policies. */
                policies: number;
            };
            /** @description Which decisions. */
            range: {
                from: string | null;
                /** @description RFC 3339, UTC, milliseconds. */
                to: string;
                organisation: string | null;
                environment: string | null;
                agentId: string | null;
                limit: number | null;
            };
            decisions: components["schemas"]["ReplayReportDecisions"];
            changed: components["schemas"]["ReplayReportChanged"];
            /** @description The same verdict and obligations for other reasons. */
            otherReasons: number;
            /** @description The changes of verdicts. */
            transitions: {
                /**
                 * @description The recorded verdict.
                 * @enum {string}
                 */
                from: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /**
                 * @description The verdict under the draft.
                 * @enum {string}
                 */
                to: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description How many. */
                decisions: number;
            }[];
            rules: components["schemas"]["ReplayReportRules"];
            agents: components["schemas"]["ReplayReportAgents"];
            resources: components["schemas"]["ReplayReportResources"];
            environments: components["schemas"]["ReplayReportEnvironments"];
            /** @description For each transition up to 20, each agent, resource and reasons once, and five with the same reasons. */
            examples: components["schemas"]["ReplayReportExamples"][];
            /** @description The policy sets of the decisions, and whether their lexicon is that of the draft. */
            sets: {
                /** @description Of a policy set, SHA-256, lower-case hex. */
                digest: string;
                /** @description How many it made. */
                decisions: number;
                /**
                 * @description Whether its lexicon is the draft's.
                 * @enum {string}
                 */
                lexicon: "same" | "other" | "unknown";
            }[];
            /** @description Caveats, as sentences. */
            notes: string[];
        };
        Replay: {
            /** @description For GET /v1/policies/replays/{id}. */
            replayId: string;
            /**
             * @description How far the job is.
             * @enum {string}
             */
            status: "queued" | "running" | "done" | "failed";
            /** @description What is evaluated. */
            draft: {
                /** @description Of a policy set, SHA-256, lower-case hex. */
                digest: string;
            };
            /** @description Counted in decisions. */
            progress: {
                /** @description Decisions that are done. */
                replayed: number;
                /** @description All of the range. */
                total: number;
            };
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            finishedAt: string | null;
            error: string | null;
            report: components["schemas"]["ReplayReport"] | null;
        };
        Finding: {
            /** @description The file, below the policy folder. */
            file: string;
            /** @description From 1. */
            line: number;
            /** @description From 1, in characters. */
            column: number;
            /** @description RFC 6901, into the file. */
            pointer: string;
            /** @description The kind of problem, for programs. */
            code: string;
            /** @description The problem, for people. */
            message: string;
            /**
             * @description Absent: error. A set with an error is not activated.
             * @enum {string}
             */
            severity?: "error" | "warning";
            /** @description How to fix it. */
            hint?: string;
            /** @description A request that demonstrates it. */
            example?: string;
        };
        /** @description What shadow mode has shown. */
        ShadowedDraft: {
            /** @description Of a policy set, SHA-256, lower-case hex. */
            digest: string;
            /** @description Its number of policies. */
            policies: number;
            /** @description Share of live decisions that was evaluated. */
            share: number;
            /** @description RFC 3339, UTC, milliseconds. */
            since: string;
            /** @description RFC 3339, UTC, milliseconds. */
            until: string;
            /** @description Records passed over because the worker was too far behind. */
            skipped: number;
            decisions: components["schemas"]["ReplayReportDecisions"];
            changed: components["schemas"]["ReplayReportChanged"];
            /** @description The same verdict and obligations for other reasons. */
            otherReasons: number;
            /** @description The changes of verdicts. */
            transitions: {
                /**
                 * @description The recorded verdict.
                 * @enum {string}
                 */
                from: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /**
                 * @description The verdict under the draft.
                 * @enum {string}
                 */
                to: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description How many. */
                decisions: number;
            }[];
            rules: components["schemas"]["ReplayReportRules"];
            agents: components["schemas"]["ReplayReportAgents"];
            resources: components["schemas"]["ReplayReportResources"];
            environments: components["schemas"]["ReplayReportEnvironments"];
            /** @description For each transition up to 20, each agent, resource and reasons once, and five with the same reasons. */
            examples: components["schemas"]["ReplayReportExamples"][];
        };
        ShadowStatus: {
            /** @description Whether a worker is evaluating a draft for comparison with the active set. */
            running: boolean;
            draft: {
                /** @description Of a policy set, SHA-256, lower-case hex. */
                digest: string;
            } | null;
            share: number | null;
            /** @description Why the folder cannot be evaluated; empty when it can. */
            findings: components["schemas"]["Finding"][];
            /** @description The changes by each draft, latest evaluation first. */
            drafts: components["schemas"]["ShadowedDraft"][];
        };
        WithdrawPoliciesRequest: {
            /**
             * @description Why; stored in every log permanently.
             * @example Ticket SEC-12: refunds need a human
             */
            reason: string;
            /** @description The set that must be in force; else 409. */
            expectedDigest?: string;
        };
        /** @description A change that waits for the approval of a second person, or waited. */
        PolicyApproval: {
            /**
             * @description Names it.
             * @example apr_01jq3kzv5w8e3h2c4n9m7x6y1t
             */
            approvalId: string;
            /**
             * @description used: approved, and put into force; superseded: another set was put into force before it was decided.
             * @enum {string}
             */
            status: "pending" | "used" | "rejected" | "superseded" | "expired";
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            previousDigest: string | null;
            /** @description `folder`, the id of a key, or `cli:` and the name of a user of the shell. */
            author: string;
            reason: string | null;
            /**
             * @description Where the set comes from.
             * @enum {string}
             */
            source: "folder" | "push" | "rollback" | "stage";
            signer: string | null;
            signature: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            expiresAt: string;
            decidedAt: string | null;
            decidedBy: string | null;
            decisionReason: string | null;
            /** @description Absent: for all. Of a dropped stage: `{"drop": true}`. */
            stage?: {
                [key: string]: unknown;
            };
            /** @description Approvals while CUSTOS_POLICY_QUORUM demands more. */
            votes: components["schemas"]["ApprovalVote"][];
        };
        /** @description The difference of two sets; absent when this version can not load one of them. */
        PolicyComparison: {
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            before: string;
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            after: string;
            /** @description The parts that differ. */
            parts: {
                /** @description The id of a policy, `tools/` and a server, `lexicon`, ... */
                name: string;
                /**
                 * @description What happens to it.
                 * @enum {string}
                 */
                change: "added" | "removed" | "changed";
            }[];
            /** @description Requests that the sets answer differently, at most one for each changed rule. */
            examples: {
                /** @description The changed rule, as `policy/rule`. */
                rule: string;
                /**
                 * @description The set that has the rule.
                 * @enum {string}
                 */
                in: "before" | "after";
                /** @description The action and the resource of the request. */
                intent: string;
                /** @description live, test or dev. */
                environment: string;
                /** @description The facts that the rule reads; null: missing. */
                facts: {
                    [key: string]: unknown;
                };
                /**
                 * @description The verdict.
                 * @enum {string}
                 */
                before: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /**
                 * @description The verdict.
                 * @enum {string}
                 */
                after: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description In what they differ. */
                differs: ("verdict" | "obligations" | "approvers" | "ttl" | "budgets")[];
            }[];
            /** @description Changed rules for which the limited search found no such request. */
            withoutExample: string[];
        };
        PolicyChangeResult: {
            /**
             * @description unchanged: in force already; waiting: for `approval`; staged: see GET /v1/policies/stages; dropped: no longer staged; checked: dryRun.
             * @enum {string}
             */
            status: "activated" | "unchanged" | "waiting" | "staged" | "dropped" | "checked";
            /** @description With staged and dropped: the slugs of the organisations concerned. */
            organisations?: string[];
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            previousDigest: string | null;
            /** @description `folder`, the id of a key, or `cli:` and the name of a user of the shell. */
            author: string;
            reason: string | null;
            /**
             * @description Where the set comes from.
             * @enum {string}
             */
            source: "folder" | "push" | "rollback" | "stage";
            signer: string | null;
            approval?: components["schemas"]["PolicyApproval"];
            comparison?: components["schemas"]["PolicyComparison"];
            /** @description Warnings. */
            findings: components["schemas"]["Finding"][];
        };
        /** @description In force for `organisations`; with `share` in shadow for `shareOf` (null: all). */
        PolicyStage: {
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            /** @description `folder`, the id of a key, or `cli:` and the name of a user of the shell. */
            author: string;
            reason: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            stagedAt: string;
            /** @description Slugs. */
            organisations: string[];
            share: number | null;
            shareOf: string[] | null;
            shadow: components["schemas"]["ShadowedDraft"] | null;
        };
        PolicyStageList: {
            /** @description One page of them. */
            items: components["schemas"]["PolicyStage"][];
            nextCursor: string | null;
        };
        PolicyActivation: {
            /** @description RFC 3339, UTC, milliseconds. */
            activatedAt: string;
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            previousDigest: string | null;
            organisation: string | null;
            /** @description `folder`, the id of a key, or `cli:` and the name of a user of the shell. */
            author: string;
            reason: string | null;
            /**
             * @description Where the set comes from.
             * @enum {string}
             */
            source: "folder" | "push" | "rollback" | "stage";
            approver: string | null;
            signer: string | null;
        };
        PolicyActivationList: {
            /** @description One page of them. */
            items: components["schemas"]["PolicyActivation"][];
            nextCursor: string | null;
        };
        PromotePoliciesRequest: {
            /** @description Of the set: SHA-256, lower-case hex. */
            digest: string;
            /**
             * @description Why; stored in every log permanently.
             * @example Ticket SEC-12: refunds need a human
             */
            reason: string;
            /** @description The set that must be in force; else 409. */
            expectedDigest?: string;
            /** @description The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS. */
            signature?: string;
        };
        DropStageRequest: {
            /**
             * @description Why; stored in every log permanently.
             * @example Ticket SEC-12: refunds need a human
             */
            reason: string;
        };
        PushPoliciesRequest: {
            /** @description The whole set: what is not among them is no longer in force. Without a lexicon that in force stays; E5002 when another set comes into force while the files are checked. */
            files: {
                /** @description Relative to the policy folder, with `/`, such as `payments/refunds.json`. Each only once. */
                path: string;
                /** @description The text of the file. */
                text: string;
            }[];
            /**
             * @description Why; stored in every log permanently.
             * @example Ticket SEC-12: refunds need a human
             */
            reason: string;
            /** @description The set that must be in force; else 409. */
            expectedDigest?: string;
            /** @description The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS. */
            signature?: string;
            /** @description Only check and compare. */
            dryRun?: boolean;
            /** @description For some organisations, or with `share` only in shadow; see POST /v1/policies/promote. */
            stage?: {
                /** @description The organisations concerned; the others keep their set. */
                organisations?: string[];
                /** @description Share of live decisions that are evaluated under the set in shadow. */
                share?: number;
            };
        };
        RollBackPoliciesRequest: {
            /** @description Of the set: SHA-256, lower-case hex. */
            digest: string;
            /**
             * @description Why; stored in every log permanently.
             * @example Ticket SEC-12: refunds need a human
             */
            reason: string;
            /** @description The set that must be in force; else 409. */
            expectedDigest?: string;
            /** @description The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS. */
            signature?: string;
            /** @description Only check and compare. */
            dryRun?: boolean;
        };
        FollowFolderRequest: {
            /**
             * @description Why; stored in every log permanently.
             * @example Ticket SEC-12: refunds need a human
             */
            reason: string;
            /** @description The line of `custos policy sign`; required with CUSTOS_POLICY_SIGNERS. */
            signature?: string;
        };
        PolicyApprovalList: {
            /** @description One page of them. */
            items: components["schemas"]["PolicyApproval"][];
            nextCursor: string | null;
        };
        PolicyApprovalDetail: {
            /**
             * @description Names it.
             * @example apr_01jq3kzv5w8e3h2c4n9m7x6y1t
             */
            approvalId: string;
            /**
             * @description used: approved, and put into force; superseded: another set was put into force before it was decided.
             * @enum {string}
             */
            status: "pending" | "used" | "rejected" | "superseded" | "expired";
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            previousDigest: string | null;
            /** @description `folder`, the id of a key, or `cli:` and the name of a user of the shell. */
            author: string;
            reason: string | null;
            /**
             * @description Where the set comes from.
             * @enum {string}
             */
            source: "folder" | "push" | "rollback" | "stage";
            signer: string | null;
            signature: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description RFC 3339, UTC, milliseconds. */
            expiresAt: string;
            decidedAt: string | null;
            decidedBy: string | null;
            decisionReason: string | null;
            /** @description Absent: for all. Of a dropped stage: `{"drop": true}`. */
            stage?: {
                [key: string]: unknown;
            };
            /** @description Approvals while CUSTOS_POLICY_QUORUM demands more. */
            votes: components["schemas"]["ApprovalVote"][];
            authorKey: {
                /** @description Its name. */
                name: string;
                /** @description Its tags. */
                tags: string[];
            } | null;
            /** @description Whether the calling key may decide while it is pending. */
            mayDecide: boolean;
            comparison?: components["schemas"]["PolicyComparison"];
        };
        PolicySetStatus: {
            /** @description The organisation's own policies; absent without any, and for the operator. */
            own?: {
                /** @description Their ids among `policies`. */
                policies: string[];
                author: string | null;
                reason: string | null;
                /** @description Own policies that are no longer valid beside the installation's set. Each denies its target until it is pushed again. */
                misfits: {
                    /** @description The id of the own policy. */
                    policy: string;
                    /** @description RFC 6901, into the policy. */
                    pointer: string;
                    /** @description Why it does not fit. */
                    message: string;
                }[];
            };
            /** @description For the operator: organisations whose set is not the installation's. */
            organisations?: {
                /** @description The slug. */
                organisation: string;
                digest: string | null;
                /** @description Whether the organisation has policies of its own. */
                hasOwn: boolean;
                staged: string | null;
                author: string | null;
                reason: string | null;
                /** @description Own policies that are no longer valid beside the installation's set. Each denies its target until it is pushed again. */
                misfits: {
                    /** @description The id of the own policy. */
                    policy: string;
                    /** @description RFC 6901, into the policy. */
                    pointer: string;
                    /** @description Why it does not fit. */
                    message: string;
                }[];
            }[];
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            /** @description RFC 3339, UTC, milliseconds. */
            activatedAt: string;
            /** @description `folder`, the id of a key, or `cli:` and the name of a user of the shell. */
            author: string;
            reason: string | null;
            /**
             * @description Where the set comes from.
             * @enum {string}
             */
            source: "folder" | "push" | "rollback" | "stage";
            /** @description The attributes of agents and resources: see /schemas/attributes.json. */
            attributes?: {
                [key: string]: unknown;
            };
            policies: {
                [key: string]: unknown;
            }[];
            resources?: {
                [key: string]: unknown;
            }[];
            /** @description Named conditions and constants: see /schemas/terms.json. */
            terms?: {
                [key: string]: unknown;
            };
            tools?: {
                [key: string]: unknown;
            }[];
            /** @description The policy folder. `digest` is that of its last valid content, null while it has errors. */
            folder: {
                digest: string | null;
                /** @description Whether edits come into force. False after a push or a rollback, until POST /v1/policies/follow-folder. */
                isFollowed: boolean;
            };
            /** @description The last reading of the policy folder. A refused folder leaves the active set in force. */
            lastRead: {
                at: string | null;
                /** @description Whether the folder was accepted. */
                ok: boolean;
                /** @description Problems and warnings. */
                findings: components["schemas"]["Finding"][];
            };
        };
        StoredPolicySet: {
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description The attributes of agents and resources: see /schemas/attributes.json. */
            attributes?: {
                [key: string]: unknown;
            };
            /** @description The action names of AuthZEN requests: see /schemas/authzen.json. */
            authzen?: {
                [key: string]: unknown;
            };
            /** @description The version of the rules of evaluation. */
            engine: number;
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            installationDigest?: string;
            /** @description See /schemas/lexicon.json. */
            lexicon: {
                [key: string]: unknown;
            };
            /** @description Own policies of an organisation: {placeholders, policies, slug}. The digest is then that of {engine, installation, organisation}. */
            organisation?: {
                [key: string]: unknown;
            };
            /** @description Messages have placeholders. */
            placeholders?: boolean;
            policies: {
                [key: string]: unknown;
            }[];
            resources?: {
                [key: string]: unknown;
            }[];
            /** @description Named conditions and constants: see /schemas/terms.json. */
            terms?: {
                [key: string]: unknown;
            };
            tools?: {
                [key: string]: unknown;
            }[];
            /** @description Number of parts that are for other organisations alone, which only the operator sees. */
            withheld?: number;
        };
        ValidatePoliciesRequest: {
            /** @description A lexicon may be among them; else that in force is used. */
            files: {
                /** @description The kind of file, and what findings name: `tools/...` a tool catalogue, `resources/...` a resource, attributes.json, terms.json, authzen.json, lexicon.json or `lexicon/...`; else a policy. */
                path: string;
                /** @description The text of the file. */
                text: string;
            }[];
        };
        ValidatePoliciesResponse: {
            /** @description Whether the files may come into force. */
            valid: boolean;
            digest: string | null;
            /** @description Problems and warnings, by file and position. */
            findings: components["schemas"]["Finding"][];
        };
        CataloguedTool: {
            /** @description The name of the tool. */
            name: string;
            /**
             * @description why it is read so
             * @example overwrites
             */
            description?: string;
            /**
             * @description the action class of every call
             * @example update
             * @enum {string}
             */
            action: "read" | "create" | "update" | "delete" | "execute" | "send" | "transfer" | "grant" | "revoke";
            /**
             * @description Of the entry, or that of its action.
             * @enum {string}
             */
            effect: "read" | "write" | "destructive";
            /**
             * @description how many objects a call touches; absent: one
             * @example many
             * @enum {string}
             */
            extent?: "one" | "many" | "all";
            /**
             * @description what a call acts on: {path} takes an argument, a JSON Pointer without its first slash for a deeper one; {paths[]} each item of a list, {number:integer} a whole number; absent: tools/<server>/<tool>
             * @example file/{path}
             * @example issues/{owner}/{repo}/{issue_number:integer}
             */
            resource?: string;
            /**
             * @description other resources that a call touches, as templates: no rule permits because of them, other rules match them
             * @example [
             *       "file/{source}"
             *     ]
             */
            places?: string[];
            /**
             * @description what else is true of every call
             * @example [
             *       "irreversible"
             *     ]
             */
            traits?: ("external" | "privileged" | "financial" | "bulk" | "irreversible" | "illicit")[];
            /**
             * @description classes of sensitive data that every call involves
             * @example [
             *       "pii"
             *     ]
             */
            dataClasses?: ("credentials" | "pii" | "financial" | "health")[];
            /**
             * @description arguments that hold code or text, by JSON Pointer without its first slash, and how to read them: what is found counts too, the stricter wins
             * @example {
             *       "command": "shell"
             *     }
             * @example {
             *       "query/sql": "sql"
             *     }
             * @example {
             *       "code": "python"
             *     }
             */
            reads?: {
                [key: string]: "shell" | "sql" | "http" | "python" | "javascript" | "text" | "content";
            };
            /**
             * @description the digest of the definition that was approved: a call under another one counts as changed
             * @example sha256:0000000000000000000000000000000000000000000000000000000000000000
             */
            definition?: string;
        };
        SeenTool: {
            /** @description The name of the tool. */
            name: string;
            /**
             * @description Not understood by a catalogue, or not as pinned.
             * @enum {string}
             */
            state: "unknown" | "changed";
            /** @description Such calls. */
            calls: number;
            /** @description That of the last one. */
            decisionId: string;
        };
        ToolCatalogue: {
            /** @description The name of the source of the tools, as calls name it. */
            server: string;
            description: string | null;
            /** @description Whether the annotations of the server decide about its tools that are not listed here. */
            trustAnnotations: boolean;
            /** @description By name. */
            tools: components["schemas"]["CataloguedTool"][];
            /** @description Tools that agents of the organisation and environment called in the last day, the last one first. */
            seen: components["schemas"]["SeenTool"][];
        };
        ToolCatalogueList: {
            /** @description SHA-256, in hex, of the canonical JSON of the set. */
            digest: string;
            /** @description One page of them. */
            items: components["schemas"]["ToolCatalogue"][];
            nextCursor: string | null;
        };
        /** @description Which decisions are sent as `decision.made`; other events are not filtered. Absent members: all. */
        WebhookFilter: {
            /** @description Only decisions with one of these verdicts. */
            verdicts?: ("ALLOW" | "DENY" | "ESCALATE" | "DEGRADE")[];
            /** @description Only decisions about these agents. */
            agentIds?: string[];
        };
        WebhookCreate: {
            /**
             * @description Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
             * @example https://receiver.example.com/custos
             */
            url: string;
            /**
             * @description The types of events that are sent.
             * @example [
             *       "decision.made",
             *       "approval.opened"
             *     ]
             */
            events: ("decision.made" | "approval.opened" | "approval.decided" | "intent.decided" | "trust.level_changed" | "proof.anchored" | "policy.activated" | "policy.refused" | "key.created" | "key.revoked" | "log.halted" | "audit.failed")[];
            filter?: components["schemas"]["WebhookFilter"];
            /**
             * @description For people.
             * @example pages the on-call engineer
             */
            description?: string;
            /**
             * @description A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64. Absent: one is generated.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
            /**
             * @description Kind of the generated key; a given `secret` has its own. Default: hmac.
             * @enum {string}
             */
            signature?: "hmac" | "ed25519";
        };
        WebhookWithSecret: {
            /**
             * @description Names the webhook.
             * @example whk_01jq3k8v5m9z4t2c6x7b8n9p0q
             */
            webhookId: string;
            /**
             * @description Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
             * @example https://receiver.example.com/custos
             */
            url: string;
            description: string | null;
            /**
             * @description The types of events that are sent.
             * @example [
             *       "decision.made",
             *       "approval.opened"
             *     ]
             */
            events: ("decision.made" | "approval.opened" | "approval.decided" | "intent.decided" | "trust.level_changed" | "proof.anchored" | "policy.activated" | "policy.refused" | "key.created" | "key.revoked" | "log.halted" | "audit.failed")[];
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description Whether messages are sent. */
            enabled: boolean;
            disabledReason: ("operator" | "gone" | "failing") | null;
            disabledAt: string | null;
            failingSince: string | null;
            /**
             * @description hmac: `v1` signatures; ed25519: `v1a`.
             * @enum {string}
             */
            signature: "hmac" | "ed25519";
            publicKey: string | null;
            previousKeysUntil: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description The key that created it. */
            createdBy: string;
            /** @description The secret of an hmac webhook; it is never shown again. A repeat under the same Idempotency-Key lacks it. */
            secret?: string;
        };
        Webhook: {
            /**
             * @description Names the webhook.
             * @example whk_01jq3k8v5m9z4t2c6x7b8n9p0q
             */
            webhookId: string;
            /**
             * @description Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
             * @example https://receiver.example.com/custos
             */
            url: string;
            description: string | null;
            /**
             * @description The types of events that are sent.
             * @example [
             *       "decision.made",
             *       "approval.opened"
             *     ]
             */
            events: ("decision.made" | "approval.opened" | "approval.decided" | "intent.decided" | "trust.level_changed" | "proof.anchored" | "policy.activated" | "policy.refused" | "key.created" | "key.revoked" | "log.halted" | "audit.failed")[];
            filter: components["schemas"]["WebhookFilter"] | null;
            /** @description Whether messages are sent. */
            enabled: boolean;
            disabledReason: ("operator" | "gone" | "failing") | null;
            disabledAt: string | null;
            failingSince: string | null;
            /**
             * @description hmac: `v1` signatures; ed25519: `v1a`.
             * @enum {string}
             */
            signature: "hmac" | "ed25519";
            publicKey: string | null;
            previousKeysUntil: string | null;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            /** @description The key that created it. */
            createdBy: string;
        };
        WebhookList: {
            /** @description One page of them. */
            items: components["schemas"]["Webhook"][];
            nextCursor: string | null;
        };
        WebhookUpdate: {
            /**
             * @description Where messages are sent with POST. Private, local and reserved addresses are refused, and http:// in a live environment, unless CUSTOS_WEBHOOK_ALLOW_PRIVATE permits them.
             * @example https://receiver.example.com/custos
             */
            url?: string;
            /**
             * @description The types of events that are sent.
             * @example [
             *       "decision.made",
             *       "approval.opened"
             *     ]
             */
            events?: ("decision.made" | "approval.opened" | "approval.decided" | "intent.decided" | "trust.level_changed" | "proof.anchored" | "policy.activated" | "policy.refused" | "key.created" | "key.revoked" | "log.halted" | "audit.failed")[];
            filter?: components["schemas"]["WebhookFilter"] | null;
            description?: string | null;
            /** @description false: nothing is sent. true: messages that wait are sent, then the events of the time while it was disabled, at most those of the last three days. */
            enabled?: boolean;
        };
        WebhookRotate: {
            /**
             * @description How long messages are signed with the old key too. Default: 24h; 0m ends the old key at once.
             * @example 24h
             */
            overlap?: string;
            /**
             * @description A secret of the caller: `whsec_` and 24 to 64 bytes, or `whsk_` and an Ed25519 private key, in base64. Absent: one is generated.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
            /**
             * @description Kind of the generated key; a given `secret` has its own. Default: hmac.
             * @enum {string}
             */
            signature?: "hmac" | "ed25519";
        };
        WebhookDelivery: {
            /**
             * @description The header `webhook-id` of the message. The same after a retry and a replay.
             * @example msg_2b8f0c4de1a94f7d86c3a5b7e9f01234
             */
            deliveryId: string;
            /**
             * @description The type of the event.
             * @enum {string}
             */
            type: "decision.made" | "approval.opened" | "approval.decided" | "intent.decided" | "trust.level_changed" | "proof.anchored" | "policy.activated" | "policy.refused" | "key.created" | "key.revoked" | "log.halted" | "audit.failed";
            /** @description What the event is about; messages about one subject are sent in order. */
            subject: string;
            /**
             * @description pending: not delivered yet; delivered: answered with a status of 200 to 299; failed: no more attempts are made.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed";
            /** @description How often it was tried. */
            attempts: number;
            /** @description RFC 3339, UTC, milliseconds. */
            createdAt: string;
            nextAttemptAt: string | null;
            lastAttemptAt: string | null;
            durationMs: number | null;
            responseStatus: number | null;
            error: string | null;
            /** @description The body of the message: type, timestamp and data. */
            payload: {
                [key: string]: unknown;
            };
        };
        WebhookDeliveryList: {
            /** @description One page of them. */
            items: components["schemas"]["WebhookDelivery"][];
            nextCursor: string | null;
        };
        Health: {
            /**
             * @description The process answers.
             * @enum {string}
             */
            status: "alive";
        };
        ReadinessCheck: {
            /** @description The part. */
            name: string;
            /** @description Whether it works. */
            ok: boolean;
            /** @description Why it does not; for the operator only. */
            detail?: string;
        };
        HaltedEnvironment: {
            /** @description Its slug. */
            organisation: string;
            /**
             * @description The environment whose verdicts are all DENY.
             * @enum {string}
             */
            environment: "live" | "test" | "dev";
            /** @description The reason that was given. */
            reason: string;
        };
        Readiness: {
            /**
             * @description Whether requests may be sent here.
             * @enum {string}
             */
            status: "ready" | "not_ready" | "stopping";
            /** @description One for each part whose state is known. */
            checks: components["schemas"]["ReadinessCheck"][];
            /** @description parts that are down and that the service can do without for a while */
            degraded: string[];
            /** @description parts whose state could not be read now, for example because the database is away */
            unknown: string[];
            /** @description halted environments, when they could be read; for the operator only */
            halted?: components["schemas"]["HaltedEnvironment"][];
        };
        ReferenceTier: {
            /** @description 0 to 7. */
            level: number;
            /** @description Its name. */
            name: string;
            /** @description The lowest score. */
            from: number;
            /** @description The highest score. */
            to: number;
        };
        ReferenceRateLimit: {
            /** @description Of a key: 0 to 7. */
            tier: number;
            /** @description Requests in each second. */
            perSecond: number;
            /** @description Requests in each minute. */
            perMinute: number;
        };
        ReferenceError: {
            /** @description The code. */
            code: string;
            /** @description The HTTP statuses that it can have. */
            statuses: number[];
            /** @description Its name. */
            title: string;
            /** @description Its kind. */
            category: string;
            /** @description Whether the same request may succeed later. */
            retryable: boolean;
            /** @description When it is given. */
            when: string;
        };
        ReferenceScope: {
            /** @description The scope. */
            scope: string;
            /** @description What it permits. */
            permits: string;
        };
    };
    responses: {
        /** @description E2001: the request is not what the schema says (400), or files of a policy set have errors (422) */
        E2001: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2001";
                };
            };
        };
        /** @description E2006: the body is not valid JSON; duplicate member names, lone surrogates, integer literals beyond 2^53-1, overflow such as 1e400 and depth over 64 count as invalid */
        E2006: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2006";
                };
            };
        };
        /** @description E2010: the idempotency key is in use by a running request (409) or was used with another body (422) */
        E2010: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2010";
                };
            };
        };
        /** @description E4001: the resource does not exist in this organisation and environment */
        E4001: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E4001";
                };
            };
        };
        /** @description E4002: the agent does not exist in this organisation and environment */
        E4002: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E4002";
                };
            };
        };
        /** @description E4003: the proof does not exist in this organisation and environment */
        E4003: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E4003";
                };
            };
        };
        /** @description E4004: there is no such endpoint */
        E4004: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E4004";
                };
            };
        };
        /** @description E4005: the endpoint exists, but not with this method; Allow lists the methods it has */
        E4005: {
            headers: {
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E4005";
                };
            };
        };
        /** @description E4006: the decision, the record of the proof, or the approval is older than its organisation keeps such data; receipts that were given out still verify */
        E4006: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E4006";
                };
            };
        };
        /** @description E5001: the approval is already closed */
        E5001: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E5001";
                };
            };
        };
        /** @description E5002: the resource cannot change from its state to that one */
        E5002: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E5002";
                };
            };
        };
        /** @description E5003: a resource with this id already exists */
        E5003: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E5003";
                };
            };
        };
        /** @description E5004: what is repeated was allowed, and is not any more: it expired, the environment is halted, the agent not active, the key not valid, or it would be denied now */
        E5004: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E5004";
                };
            };
        };
        /** @description Problems that do not depend on the operation. 401 E1001: the API key is missing. 401 E1002: the API key is invalid or has been revoked. 401 E1003: the API key has expired; a new one must be generated. 403 E1004: the key lacks permission for the operation. 413 E2005: the body is larger than 1 MB, or 8 MB for a policy set. 415 E2009: the content type is not JSON. 429 E3001: the rate limit is exceeded; Retry-After says when to come back. 500 E6001: an internal error; nothing internal is in the text. 503 E6002: a dependency is down; Retry-After says when to come back. */
        Common: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E1001" | "E1002" | "E1003" | "E1004" | "E2005" | "E2009" | "E3001" | "E6001" | "E6002";
                };
            };
        };
        /** @description E2001: Request invalid. E2006: Not valid JSON */
        E2001_E2006: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2001" | "E2006";
                };
            };
        };
        /** @description E2010: the idempotency key is in use by a running request (409) or was used with another body (422) */
        E2010_422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2010";
                };
            };
        };
        /** @description E2010: Idempotency key in conflict. E5004: Decision no longer stands */
        E2010_E5004: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2010" | "E5004";
                };
            };
        };
        /** @description E2010: Idempotency key in conflict. E5002: Illegal state change */
        E2010_E5002: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2010" | "E5002";
                };
            };
        };
        /** @description E2010: Idempotency key in conflict. E5001: Approval closed. E5002: Illegal state change */
        E2010_E5001_E5002: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2010" | "E5001" | "E5002";
                };
            };
        };
        /** @description E2010: Idempotency key in conflict. E5003: Already exists */
        E2010_E5003: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2010" | "E5003";
                };
            };
        };
        /** @description E2001: Request invalid. E2010: Idempotency key in conflict */
        E2001_E2010_422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E2001" | "E2010";
                };
            };
        };
        /** @description E6002: a dependency is down; Retry-After says when to come back */
        E6002: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    code?: "E6002";
                };
            };
        };
        /** @description The answer is the one whose ETag If-None-Match names. Without a body. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /** @description The ETag of an earlier answer: 304 when it is still the current one */
        IfNoneMatch: string;
        /**
         * @description `wait=N` (RFC 7240), N from 1 to 30: the answer comes when what is asked for is settled, at the latest after N seconds. Without `Preference-Applied` in the answer, pause before you ask again.
         * @example wait=30
         */
        Wait: string;
        /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description The request's id in logs; the caller's own if it sent a valid one */
        RequestId: string;
        /** @description The windows that count this key (IETF draft ratelimit-headers) */
        RateLimitPolicy: string;
        /** @description What is left of the windows (IETF draft ratelimit-headers) */
        RateLimit: string;
        /** @description The version of the answer: sent as If-None-Match, it gets 304 until the answer changes */
        ETag: string;
        /** @description Seconds until the request may be repeated */
        RetryAfter: number;
        /** @description The methods of the endpoint */
        Allow: string;
        /** @description `wait=N` when the answer waited as the request preferred */
        PreferenceApplied: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    parseIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_id": "agent-7",
                 *       "raw_intent": "Read user profile data"
                 *     }
                 */
                "application/json": components["schemas"]["IntentRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "intent_id": "int_01jq3k5v7w9x1y3z5b7d9f1h3k",
                     *       "agent_id": "agent-7",
                     *       "normalized": "data.read.user_profile",
                     *       "domain": "data",
                     *       "action": "read",
                     *       "verb": "read",
                     *       "object": "user_profile",
                     *       "places": [],
                     *       "effect": "read",
                     *       "traits": [],
                     *       "extent": "one",
                     *       "confidence": 0.968,
                     *       "coverage": 1,
                     *       "unread": [],
                     *       "alternatives": [],
                     *       "entities": {
                     *         "emails": [],
                     *         "urls": [],
                     *         "hosts": [],
                     *         "money": [],
                     *         "paths": [],
                     *         "identifiers": []
                     *       },
                     *       "data_classes": [],
                     *       "flags": [],
                     *       "risk": {
                     *         "level": "low",
                     *         "score": 0,
                     *         "factors": []
                     *       },
                     *       "trust": {
                     *         "claimed": null,
                     *         "recorded": {
                     *           "score": 250,
                     *           "level": 1
                     *         },
                     *         "effective": {
                     *           "score": 250,
                     *           "level": 1
                     *         }
                     *       },
                     *       "verdict_preview": "ALLOW",
                     *       "policy_set": {
                     *         "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902"
                     *       },
                     *       "created_at": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Intent"];
                };
            };
        };
    };
    getParsedIntent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "intent_id": "int_01jq3k5v7w9x1y3z5b7d9f1h3k",
                     *       "agent_id": "agent-7",
                     *       "normalized": "data.read.user_profile",
                     *       "domain": "data",
                     *       "action": "read",
                     *       "verb": "read",
                     *       "object": "user_profile",
                     *       "places": [],
                     *       "effect": "read",
                     *       "traits": [],
                     *       "extent": "one",
                     *       "confidence": 0.968,
                     *       "coverage": 1,
                     *       "unread": [],
                     *       "alternatives": [],
                     *       "entities": {
                     *         "emails": [],
                     *         "urls": [],
                     *         "hosts": [],
                     *         "money": [],
                     *         "paths": [],
                     *         "identifiers": []
                     *       },
                     *       "data_classes": [],
                     *       "flags": [],
                     *       "risk": {
                     *         "level": "low",
                     *         "score": 0,
                     *         "factors": []
                     *       },
                     *       "trust": {
                     *         "claimed": null,
                     *         "recorded": {
                     *           "score": 250,
                     *           "level": 1
                     *         },
                     *         "effective": {
                     *           "score": 250,
                     *           "level": 1
                     *         }
                     *       },
                     *       "verdict_preview": "ALLOW",
                     *       "policy_set": {
                     *         "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902"
                     *       },
                     *       "created_at": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Intent"];
                };
            };
        };
    };
    enforce: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "intent": "data.read.user_profile",
                 *       "agent_id": "agent-7"
                 *     }
                 */
                "application/json": components["schemas"]["EnforceRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision_id": "dec_01jq3k5v7w9x1y3z5b7d9f1h3m",
                     *       "request_id": "req_01jq3k5v7w9x1y3z5b7d9f1h3m",
                     *       "agent_id": "agent-7",
                     *       "key_id": "4fZ0q9Lm",
                     *       "intent": {
                     *         "requested": {
                     *           "intent": "data.read.user_profile"
                     *         },
                     *         "normalized": "data.read.user_profile",
                     *         "domain": "data",
                     *         "action": "read",
                     *         "verb": "read",
                     *         "resource": "data/user_profile",
                     *         "effect": "read",
                     *         "risk": {
                     *           "level": "low",
                     *           "score": 0,
                     *           "factors": []
                     *         },
                     *         "traits": [],
                     *         "parsed": true
                     *       },
                     *       "trust": {
                     *         "claimed_level": null,
                     *         "recorded_level": 1,
                     *         "effective_level": 1,
                     *         "score": 250,
                     *         "uncertainty": 1,
                     *         "as_of": {
                     *           "signals": 0,
                     *           "day": "2026-03-01"
                     *         }
                     *       },
                     *       "obligations": [],
                     *       "policy_set": {
                     *         "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902"
                     *       },
                     *       "proof": {
                     *         "proof_id": "prf_01jq3k5v7w9x1y3z5b7d9f1h3m",
                     *         "promise": {
                     *           "log": "custos.local/default/live",
                     *           "proofId": "prf_01jq3k5v7w9x1y3z5b7d9f1h3m",
                     *           "recordDigest": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *           "issuedAt": "2026-03-01T09:30:00.000Z",
                     *           "deadline": "2026-03-01T10:30:00.000Z",
                     *           "keyId": "JfcDjnus4-YdF7Lb6IBNthP9oQF7rKzSZYv-0RNlzNk",
                     *           "signature": "MrwKGdchw49LS24w3ae/fqi5guWcwOE7Soz+TUbdHrZAuduAEq4FHoWGrOR+IyvPc1TYTpj7e70fBuJnwwelAQ=="
                     *         }
                     *       },
                     *       "evaluated_at": "2026-03-01T09:30:00.000Z",
                     *       "expires_at": "2026-03-01T10:30:00.000Z",
                     *       "verdict": "ALLOW",
                     *       "allowed": true,
                     *       "reasons": [
                     *         {
                     *           "policy": "reads",
                     *           "rule": "reading-is-open",
                     *           "effect": "ALLOW",
                     *           "code": "READ_OPEN",
                     *           "message": "reading is open to agents that are not blocked"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EnforceResponse"];
                };
            };
        };
    };
    enforceBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requests": [
                 *         {
                 *           "intent": "data.read.user_profile",
                 *           "agent_id": "agent-7"
                 *         },
                 *         {
                 *           "intent": "delete:db/production/users",
                 *           "agent_id": "agent-7"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["EnforceBatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnforceBatchResponse"];
                };
            };
        };
    };
    listIntents: {
        parameters: {
            query?: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId?: string;
                /** @description queued, evaluating, decided; waiting_approval until a human decides, then evaluating again; failed has a recorded DENY with reason EVALUATION_FAILED. KEY_INVALID: the key that submitted it was revoked or had expired. */
                status?: "queued" | "evaluating" | "waiting_approval" | "decided" | "failed";
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "intentId": "int_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *           "agentId": "agent-7",
                     *           "action": "read",
                     *           "resource": "db/customers/*",
                     *           "status": "queued",
                     *           "approvalId": null,
                     *           "submittedAt": "2026-03-01T09:30:00.000Z",
                     *           "updatedAt": "2026-03-01T09:30:00.000Z",
                     *           "decision": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SubmittedIntentList"];
                };
            };
        };
    };
    submitIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agentId": "agent-7",
                 *       "action": "read",
                 *       "resource": "db/customers/*"
                 *     }
                 */
                "application/json": components["schemas"]["IntentSubmission"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "intentId": "int_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *       "status": "queued"
                     *     }
                     */
                    "application/json": components["schemas"]["IntentAccepted"];
                };
            };
        };
    };
    getIntent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `wait=N` (RFC 7240), N from 1 to 30: the answer comes when what is asked for is settled, at the latest after N seconds. Without `Preference-Applied` in the answer, pause before you ask again.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Wait"];
            };
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "intentId": "int_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *       "agentId": "agent-7",
                     *       "action": "read",
                     *       "resource": "db/customers/*",
                     *       "status": "queued",
                     *       "approvalId": null,
                     *       "submittedAt": "2026-03-01T09:30:00.000Z",
                     *       "updatedAt": "2026-03-01T09:30:00.000Z",
                     *       "decision": null
                     *     }
                     */
                    "application/json": components["schemas"]["SubmittedIntent"];
                };
            };
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId?: string;
                /** @description Only decisions with this verdict. */
                verdict?: "ALLOW" | "DENY" | "ESCALATE" | "DEGRADE";
                /** @description Only decisions with this reason code, of those that are not ALLOW. */
                reason?: string;
                /** @description X-Request-Id of the request that asked. */
                requestId?: string;
                /** @description Only calls of tools of this server, by the name of its catalogue. */
                toolServer?: string;
                /** @description Only calls of this tool. Needs `toolServer`, because servers may have tools of the same name. */
                toolName?: string;
                /** @description RFC 3339 date and time. */
                from?: string;
                /** @description RFC 3339 date and time. */
                to?: string;
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DecisionList"];
                };
            };
        };
    };
    getDecision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision_id": "dec_01jq3k5v7w9x1y3z5b7d9f1h3n",
                     *       "request_id": "req_01jq3k5v7w9x1y3z5b7d9f1h3n",
                     *       "agent_id": "agent-7",
                     *       "key_id": "4fZ0q9Lm",
                     *       "intent": {
                     *         "requested": {
                     *           "intent": "delete:db/production/users"
                     *         },
                     *         "normalized": "db.delete.production.users",
                     *         "domain": "db",
                     *         "action": "delete",
                     *         "verb": "delete",
                     *         "resource": "db/production/users",
                     *         "effect": "destructive",
                     *         "risk": {
                     *           "level": "medium",
                     *           "score": 550,
                     *           "factors": [
                     *             {
                     *               "factor": "effect",
                     *               "score": 400,
                     *               "message": "destroys something"
                     *             },
                     *             {
                     *               "factor": "production",
                     *               "score": 150,
                     *               "message": "changes production"
                     *             }
                     *           ]
                     *         },
                     *         "traits": [],
                     *         "parsed": false
                     *       },
                     *       "trust": {
                     *         "claimed_level": null,
                     *         "recorded_level": 1,
                     *         "effective_level": 1,
                     *         "score": 250,
                     *         "uncertainty": 1,
                     *         "as_of": {
                     *           "signals": 0,
                     *           "day": "2026-03-01"
                     *         }
                     *       },
                     *       "obligations": [],
                     *       "policy_set": {
                     *         "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902"
                     *       },
                     *       "proof": {
                     *         "proof_id": "prf_01jq3k5v7w9x1y3z5b7d9f1h3n"
                     *       },
                     *       "evaluated_at": "2026-03-01T09:30:00.000Z",
                     *       "expires_at": "2026-03-01T10:30:00.000Z",
                     *       "verdict": "DENY",
                     *       "allowed": false,
                     *       "reasons": [
                     *         {
                     *           "policy": "destructive",
                     *           "rule": "others-may-not",
                     *           "effect": "DENY",
                     *           "code": "TRUST_TOO_LOW",
                     *           "message": "destructive work needs trust level 4 or more"
                     *         },
                     *         {
                     *           "policy": "production",
                     *           "rule": "unregistered-agents-may-not-destroy",
                     *           "effect": "DENY",
                     *           "code": "AGENT_NOT_REGISTERED",
                     *           "message": "destroying something in production needs a registered agent"
                     *         },
                     *         {
                     *           "policy": "production",
                     *           "rule": "untrusted-agents-may-not-destroy",
                     *           "effect": "DENY",
                     *           "code": "PRODUCTION_PROTECTED",
                     *           "message": "production is protected: destroying something in it needs trust level 4 or more"
                     *         },
                     *         {
                     *           "policy": "destructive",
                     *           "rule": "approval-in-live",
                     *           "effect": "ESCALATE",
                     *           "code": "APPROVAL_NEEDED",
                     *           "message": "destructive work in live needs the approval of a human"
                     *         }
                     *       ],
                     *       "stands": false,
                     *       "stands_reason": "verdict"
                     *     }
                     */
                    "application/json": components["schemas"]["DecisionOnRecord"];
                };
            };
        };
    };
    reportOutcome: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcome": "not_carried_out",
                 *       "detail": "The tool server refused it"
                 *     }
                 */
                "application/json": components["schemas"]["OutcomeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decisionId": "dec_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *       "outcome": "not_carried_out",
                     *       "detail": "The tool server refused it",
                     *       "reportedAt": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["OutcomeAnswer"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description pending; approved: may be used once; rejected, or withdrawn; used; expired: not decided or not used in time. */
                status?: "pending" | "approved" | "rejected" | "expired" | "used";
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId?: string;
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `wait=N` (RFC 7240), N from 1 to 30: the answer comes when what is asked for is settled, at the latest after N seconds. Without `Preference-Applied` in the answer, pause before you ask again.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Wait"];
            };
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "requested": {
                     *         "intent": "unknown:db/a"
                     *       },
                     *       "approvalId": "apr_01jq3k5v7w9x1y3z5b7d9f1h3s",
                     *       "status": "pending",
                     *       "agentId": "agent-7",
                     *       "keyId": "4fZ0q9Lm",
                     *       "digest": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *       "intentId": null,
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "expiresAt": "2026-03-01T10:30:00.000Z",
                     *       "decidedAt": null,
                     *       "decidedBy": null,
                     *       "reason": null,
                     *       "usedAt": null,
                     *       "usedBy": null,
                     *       "usedDecisionId": null,
                     *       "approvers": [
                     *         {
                     *           "policy": "refunds",
                     *           "rule": "large-ones",
                     *           "keys": [],
                     *           "tags": [
                     *             "finance"
                     *           ],
                     *           "atLeast": 2,
                     *           "approvedBy": [
                     *             "7hB2s5Xw"
                     *           ],
                     *           "missing": 1
                     *         }
                     *       ],
                     *       "votes": [
                     *         {
                     *           "by": "7hB2s5Xw",
                     *           "at": "2026-03-01T09:30:00.000Z",
                     *           "reason": "Ticket OPS-7"
                     *         }
                     *       ],
                     *       "decision": {
                     *         "decision_id": "dec_01jq3k5v7w9x1y3z5b7d9f1h3s",
                     *         "request_id": "req_01jq3k5v7w9x1y3z5b7d9f1h3s",
                     *         "agent_id": "agent-7",
                     *         "key_id": "4fZ0q9Lm",
                     *         "intent": {
                     *           "requested": {
                     *             "intent": "unknown:db/a"
                     *           },
                     *           "normalized": "db.unknown.a",
                     *           "domain": "db",
                     *           "action": "unknown",
                     *           "verb": "unknown",
                     *           "resource": "db/a",
                     *           "effect": "write",
                     *           "risk": {
                     *             "level": "medium",
                     *             "score": 450,
                     *             "factors": []
                     *           },
                     *           "traits": [],
                     *           "parsed": false
                     *         },
                     *         "trust": {
                     *           "claimed_level": null,
                     *           "recorded_level": 1,
                     *           "effective_level": 1,
                     *           "score": 250,
                     *           "uncertainty": 1,
                     *           "as_of": {
                     *             "signals": 0,
                     *             "day": "2026-03-01"
                     *           }
                     *         },
                     *         "obligations": [],
                     *         "policy_set": {
                     *           "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902"
                     *         },
                     *         "proof": {
                     *           "proof_id": "prf_01jq3k5v7w9x1y3z5b7d9f1h3s"
                     *         },
                     *         "evaluated_at": "2026-03-01T09:30:00.000Z",
                     *         "expires_at": "2026-03-01T10:30:00.000Z",
                     *         "verdict": "ESCALATE",
                     *         "allowed": false,
                     *         "stands": false,
                     *         "stands_reason": "verdict",
                     *         "approval": {
                     *           "approval_id": "apr_01jq3k5v7w9x1y3z5b7d9f1h3s",
                     *           "expires_at": "2026-03-01T10:30:00.000Z"
                     *         },
                     *         "reasons": [
                     *           {
                     *             "policy": "unclear",
                     *             "rule": "ask-a-human",
                     *             "effect": "ESCALATE",
                     *             "code": "CONFIDENCE_LOW",
                     *             "message": "the intent was not understood with enough confidence"
                     *           }
                     *         ]
                     *       },
                     *       "mayDecide": true,
                     *       "mayApprove": true,
                     *       "canBeMet": true,
                     *       "bound": {},
                     *       "masked": [],
                     *       "context": {}
                     *     }
                     */
                    "application/json": components["schemas"]["ApprovalDetail"];
                };
            };
        };
    };
    approve: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket OPS-7, backup verified"
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalVerdict"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalDetail"];
                };
            };
        };
    };
    reject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket OPS-7, backup verified"
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalVerdict"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalDetail"];
                };
            };
        };
    };
    listProofs: {
        parameters: {
            query?: {
                /** @description Only records about this entity. */
                entityId?: string;
                /** @description Only records of this event. */
                event?: string;
                /** @description RFC 3339 date and time. */
                from?: string;
                /** @description RFC 3339 date and time. */
                to?: string;
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "proofId": "prf_01m7z8tpcsm4dw71dmgsb341v5",
                     *           "status": "anchored",
                     *           "event": "invoice.approved",
                     *           "entityId": "invoice-INV-7",
                     *           "index": 5,
                     *           "occurredAt": "2026-03-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProofList"];
                };
            };
        };
    };
    createProof: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "invoice.approved",
                 *       "entityId": "invoice-INV-7",
                 *       "payload": {
                 *         "invoice": "INV-7",
                 *         "amount": 120
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ProofCreate"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "proofId": "prf_01jq3k5v7w9x1y3z5b7d9f1h3q",
                     *       "status": "pending",
                     *       "recordDigest": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *       "promise": {
                     *         "recordDigest": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *         "log": "custos.local/default/live",
                     *         "proofId": "prf_01jq3k5v7w9x1y3z5b7d9f1h3q",
                     *         "issuedAt": "2026-03-01T09:30:00.000Z",
                     *         "deadline": "2026-03-01T10:30:00.000Z",
                     *         "keyId": "JfcDjnus4-YdF7Lb6IBNthP9oQF7rKzSZYv-0RNlzNk",
                     *         "signature": "MrwKGdchw49LS24w3ae/fqi5guWcwOE7Soz+TUbdHrZAuduAEq4FHoWGrOR+IyvPc1TYTpj7e70fBuJnwwelAQ=="
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProofAccepted"];
                };
            };
        };
    };
    createProofBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "proofs": [
                 *         {
                 *           "event": "invoice.paid",
                 *           "entityId": "invoice-INV-7",
                 *           "payload": {
                 *             "amount": 120
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProofBatchCreate"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "proofs": [
                     *         {
                     *           "proofId": "prf_01jq3k5v7w9x1y3z5b7d9f1h3r",
                     *           "status": "pending",
                     *           "recordDigest": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *           "promise": {
                     *             "recordDigest": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *             "log": "custos.local/default/live",
                     *             "proofId": "prf_01jq3k5v7w9x1y3z5b7d9f1h3r",
                     *             "issuedAt": "2026-03-01T09:30:00.000Z",
                     *             "deadline": "2026-03-01T10:30:00.000Z",
                     *             "keyId": "JfcDjnus4-YdF7Lb6IBNthP9oQF7rKzSZYv-0RNlzNk",
                     *             "signature": "MrwKGdchw49LS24w3ae/fqi5guWcwOE7Soz+TUbdHrZAuduAEq4FHoWGrOR+IyvPc1TYTpj7e70fBuJnwwelAQ=="
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProofBatchAccepted"];
                };
            };
        };
    };
    getProof: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description `wait=N` (RFC 7240), N from 1 to 30: the answer comes when what is asked for is settled, at the latest after N seconds. Without `Preference-Applied` in the answer, pause before you ask again.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Wait"];
            };
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "format": "custos-receipt/1",
                     *       "status": "anchored",
                     *       "proofId": "prf_01m7z8tpcsm4dw71dmgsb341v5",
                     *       "record": "eyJhZ2VudElkIjoiaW52b2ljZS1JTlYtNyIsImV2ZW50VHlwZSI6Imludm9pY2UuYXBwcm92ZWQiLCJvY2N1cnJlZEF0IjoiMjAyNi0xMS0yMVQxNDo0MDozOC44MDlaIiwicGF5bG9hZCI6eyJib2R5Ijp7ImFtb3VudCI6MTIwLCJpbnZvaWNlIjoiSU5WLTcifSwiZW52aXJvbm1lbnQiOiJsaXZlIiwib3JnYW5pc2F0aW9uIjoiZGVmYXVsdCIsInByb29mSWQiOiJwcmZfMDFtN3o4dHBjc200ZHc3MWRtZ3NiMzQxdjUifSwicHJldmlvdXNIYXNoIjoiMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCJ9",
                     *       "index": 5,
                     *       "path": [
                     *         "3ddcfd9f49c912e9480c45b72788a9b0b56b4e2a15305d7cb08ebb2fb9362f30",
                     *         "134788780a871a69d9573eba7c2681dd5858c34ba2565390b2f835065243ffd7",
                     *         "89675945e935c48bf6953c7397718f287f101a90f532a22dcba8c1416b21b4ec"
                     *       ],
                     *       "checkpoint": "custos.local/default/live\n7\nzWUthaog+xdY3PI2o8V+9xo0PiVijM1DfUYN5oy0rD8=\n\n— custos.local/default/live vaFafeTL0COCb7xELUlhAb1ybO99k+aL8p6th/L6nV9naLby2iCC+ZuG62xLK3aYD1/fEoBSHTEXw9ujGFU/aU4AWgE=\n— custos.local/default/live 4BZkfgAAAABrAa1m9rRAFeQz1zE+VyDMnryqk1MsWzDzQxzTk6woI6F1tHH+CD6MwhDF2x/F9SmiZoK3XQw9gjtd8qIINuhcP9T6DQ==\n"
                     *     }
                     */
                    "application/json": components["schemas"]["Receipt"];
                    "text/plain": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofAccepted"];
                };
            };
        };
    };
    getProofChain: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description What the records are about. */
                entityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entityId": "invoice-INV-7",
                     *       "head": {
                     *         "chainIndex": 0,
                     *         "eventHash": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4"
                     *       },
                     *       "items": [
                     *         {
                     *           "proofId": "prf_01m7z8tpcsm4dw71dmgsb341v5",
                     *           "status": "anchored",
                     *           "event": "invoice.approved",
                     *           "entityId": "invoice-INV-7",
                     *           "record": "eyJhZ2VudElkIjoiaW52b2ljZS1JTlYtNyIsImV2ZW50VHlwZSI6Imludm9pY2UuYXBwcm92ZWQiLCJvY2N1cnJlZEF0IjoiMjAyNi0xMS0yMVQxNDo0MDozOC44MDlaIiwicGF5bG9hZCI6eyJib2R5Ijp7ImFtb3VudCI6MTIwLCJpbnZvaWNlIjoiSU5WLTcifSwiZW52aXJvbm1lbnQiOiJsaXZlIiwib3JnYW5pc2F0aW9uIjoiZGVmYXVsdCIsInByb29mSWQiOiJwcmZfMDFtN3o4dHBjc200ZHc3MWRtZ3NiMzQxdjUifSwicHJldmlvdXNIYXNoIjoiMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCJ9",
                     *           "index": 5,
                     *           "chainIndex": 0,
                     *           "eventHash": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *           "previousHash": "0000000000000000000000000000000000000000000000000000000000000000",
                     *           "occurredAt": "2026-03-01T09:30:00.000Z",
                     *           "anchoredAt": "2026-03-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ProofChain"];
                };
            };
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    listCheckpoints: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "size": 16,
                     *           "root": "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4",
                     *           "note": "custos.local/default/live\n7\nzWUthaog+xdY3PI2o8V+9xo0PiVijM1DfUYN5oy0rD8=\n\n— custos.local/default/live vaFafeTL0COCb7xELUlhAb1ybO99k+aL8p6th/L6nV9naLby2iCC+ZuG62xLK3aYD1/fEoBSHTEXw9ujGFU/aU4AWgE=\n— custos.local/default/live 4BZkfgAAAABrAa1m9rRAFeQz1zE+VyDMnryqk1MsWzDzQxzTk6woI6F1tHH+CD6MwhDF2x/F9SmiZoK3XQw9gjtd8qIINuhcP9T6DQ==\n",
                     *           "signedAt": "2026-03-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["CheckpointList"];
                };
            };
        };
    };
    listLogKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "keyId": "UXsF3qVSDG_vGq0kb3RKpwyHA4eiOSJY-3TVmhYwWTA",
                     *           "vkey": "custos.local/default/live+9ec3683f+Ae8/k8M6L4P76CgLWRnmYsBKGc/zcRdaEHvGeo0NRGeg",
                     *           "use": "log",
                     *           "firstSize": 0,
                     *           "lastSize": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LogKeys"];
                };
            };
        };
    };
    getConsistency: {
        parameters: {
            query: {
                /** @description The smaller number of leaves. */
                from: number;
                /** @description The larger one. */
                to: number;
            };
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": 1,
                     *       "to": 2,
                     *       "path": [
                     *         "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Consistency"];
                };
            };
        };
    };
    getLeaves: {
        parameters: {
            query: {
                /** @description The smaller number of leaves. */
                from: number;
                /** @description The larger one. */
                to: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": 0,
                     *       "to": 1,
                     *       "hashes": [
                     *         "a7c36abe218d3e4fc11f39d78b17cddaff58685fb5392f84f736637c1c46a3f4"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LeafHashes"];
                };
            };
        };
    };
    verifyProof: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "format": "custos-receipt/1",
                 *       "status": "anchored",
                 *       "proofId": "prf_01m7z8tpcsm4dw71dmgsb341v5",
                 *       "record": "eyJhZ2VudElkIjoiaW52b2ljZS1JTlYtNyIsImV2ZW50VHlwZSI6Imludm9pY2UuYXBwcm92ZWQiLCJvY2N1cnJlZEF0IjoiMjAyNi0xMS0yMVQxNDo0MDozOC44MDlaIiwicGF5bG9hZCI6eyJib2R5Ijp7ImFtb3VudCI6MTIwLCJpbnZvaWNlIjoiSU5WLTcifSwiZW52aXJvbm1lbnQiOiJsaXZlIiwib3JnYW5pc2F0aW9uIjoiZGVmYXVsdCIsInByb29mSWQiOiJwcmZfMDFtN3o4dHBjc200ZHc3MWRtZ3NiMzQxdjUifSwicHJldmlvdXNIYXNoIjoiMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMCJ9",
                 *       "index": 5,
                 *       "path": [
                 *         "3ddcfd9f49c912e9480c45b72788a9b0b56b4e2a15305d7cb08ebb2fb9362f30",
                 *         "134788780a871a69d9573eba7c2681dd5858c34ba2565390b2f835065243ffd7",
                 *         "89675945e935c48bf6953c7397718f287f101a90f532a22dcba8c1416b21b4ec"
                 *       ],
                 *       "checkpoint": "custos.local/default/live\n7\nzWUthaog+xdY3PI2o8V+9xo0PiVijM1DfUYN5oy0rD8=\n\n— custos.local/default/live vaFafeTL0COCb7xELUlhAb1ybO99k+aL8p6th/L6nV9naLby2iCC+ZuG62xLK3aYD1/fEoBSHTEXw9ujGFU/aU4AWgE=\n— custos.local/default/live 4BZkfgAAAABrAa1m9rRAFeQz1zE+VyDMnryqk1MsWzDzQxzTk6woI6F1tHH+CD6MwhDF2x/F9SmiZoK3XQw9gjtd8qIINuhcP9T6DQ==\n"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description ACTIVE and PAUSED change into each other, both into SUSPENDED and back, and each into TERMINATED, which is final. Agents that are not ACTIVE are denied. */
                status?: "ACTIVE" | "PAUSED" | "SUSPENDED" | "TERMINATED";
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "agentId": "agent-7",
                     *           "name": "Invoice agent",
                     *           "description": null,
                     *           "capabilities": [
                     *             "invoicing"
                     *           ],
                     *           "tags": [
                     *             "billing"
                     *           ],
                     *           "attributes": {},
                     *           "metadata": null,
                     *           "status": "ACTIVE",
                     *           "trust": {
                     *             "score": 250,
                     *             "level": 1,
                     *             "tier": "Observed",
                     *             "uncertainty": 1
                     *           },
                     *           "createdAt": "2026-03-01T09:30:00.000Z",
                     *           "updatedAt": "2026-03-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["AgentList"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agentId": "agent-7",
                 *       "name": "Invoice agent",
                 *       "capabilities": [
                 *         "invoicing"
                 *       ],
                 *       "tags": [
                 *         "billing"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AgentCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agentId": "agent-7",
                     *       "name": "Invoice agent",
                     *       "description": null,
                     *       "capabilities": [
                     *         "invoicing"
                     *       ],
                     *       "tags": [
                     *         "billing"
                     *       ],
                     *       "attributes": {},
                     *       "metadata": null,
                     *       "status": "ACTIVE",
                     *       "trust": {
                     *         "score": 250,
                     *         "level": 1,
                     *         "tier": "Observed",
                     *         "uncertainty": 1
                     *       },
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "updatedAt": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agentId": "agent-7",
                     *       "name": "Invoice agent",
                     *       "description": null,
                     *       "capabilities": [
                     *         "invoicing"
                     *       ],
                     *       "tags": [
                     *         "billing"
                     *       ],
                     *       "attributes": {},
                     *       "metadata": null,
                     *       "status": "ACTIVE",
                     *       "trust": {
                     *         "score": 250,
                     *         "level": 1,
                     *         "tier": "Observed",
                     *         "uncertainty": 1
                     *       },
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "updatedAt": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    terminateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "billing",
                 *         "night shift"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AgentUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agentId": "agent-7",
                     *       "name": "Invoice agent",
                     *       "description": null,
                     *       "capabilities": [
                     *         "invoicing"
                     *       ],
                     *       "tags": [
                     *         "billing",
                     *         "night shift"
                     *       ],
                     *       "attributes": {},
                     *       "metadata": null,
                     *       "status": "ACTIVE",
                     *       "trust": {
                     *         "score": 250,
                     *         "level": 1,
                     *         "tier": "Observed",
                     *         "uncertainty": 1
                     *       },
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "updatedAt": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    listResources: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "db/customers/*",
                     *           "class": "confidential",
                     *           "owner": "sales",
                     *           "attributes": {},
                     *           "createdAt": "2026-03-01T09:30:00.000Z",
                     *           "updatedAt": "2026-03-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceList"];
                };
            };
        };
    };
    getResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource or a pattern with `*` as its last segment, percent-encoded as one segment of the path: `db%2Fcustomers%2F*`. Brought to canonical form. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "db/customers/*",
                     *       "class": "confidential",
                     *       "owner": "sales",
                     *       "attributes": {},
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "updatedAt": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    putResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource or a pattern with `*` as its last segment, percent-encoded as one segment of the path: `db%2Fcustomers%2F*`. Brought to canonical form. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "class": "confidential",
                 *       "owner": "sales"
                 *     }
                 */
                "application/json": components["schemas"]["ResourcePut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "db/customers/*",
                     *       "class": "confidential",
                     *       "owner": "sales",
                     *       "attributes": {},
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "updatedAt": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    deleteResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The resource or a pattern with `*` as its last segment, percent-encoded as one segment of the path: `db%2Fcustomers%2F*`. Brought to canonical form. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
        };
    };
    sendTrustSignals: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "signalId": "run-2231/step-4",
                 *       "agentId": "agent-7",
                 *       "type": "success",
                 *       "source": "ci"
                 *     }
                 */
                "application/json": components["schemas"]["TrustSignalsRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "signalIds": [
                     *         "run-2231/step-4"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TrustSignalsAccepted"];
                };
            };
        };
    };
    getTrust: {
        parameters: {
            query?: {
                /** @description RFC 3339 date and time. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agentId": "agent-7",
                     *       "registered": true,
                     *       "score": 257,
                     *       "level": 1,
                     *       "tier": "Observed",
                     *       "uncertainty": 0.91,
                     *       "evidence": {
                     *         "positive": 1,
                     *         "negative": 0,
                     *         "lastSignalAt": "2026-03-01T09:30:00.000Z"
                     *       },
                     *       "asOf": {
                     *         "signals": 1,
                     *         "day": "2026-03-01"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Trust"];
                };
            };
        };
    };
    getTrustHistory: {
        parameters: {
            query?: {
                /** @description RFC 3339 date and time. */
                from?: string;
                /** @description RFC 3339 date and time. */
                to?: string;
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "at": "2026-03-01T09:30:00.000Z",
                     *           "score": 257,
                     *           "level": 1,
                     *           "tier": "Observed",
                     *           "cause": {
                     *             "firstSignal": 1,
                     *             "lastSignal": 1,
                     *             "success": 1,
                     *             "failure": 0,
                     *             "violation": 0,
                     *             "proofId": "prf_01m7z8tpcsm4dw71dmgsb341v5"
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["TrustHistory"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "keyId": "4fZ0q9Lm",
                     *           "name": "billing gateway",
                     *           "scopes": [
                     *             "intents:write"
                     *           ],
                     *           "agentIds": [
                     *             "agent-7"
                     *           ],
                     *           "keepsObligations": [],
                     *           "tags": [
                     *             "finance"
                     *           ],
                     *           "environment": "live",
                     *           "tier": 4,
                     *           "createdAt": "2026-03-01T09:30:00.000Z",
                     *           "expiresAt": "2026-05-30T09:30:00.000Z",
                     *           "createdBy": null,
                     *           "revokedAt": null,
                     *           "replacedBy": null,
                     *           "lastUsedAt": "2026-03-01T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["KeyList"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "billing gateway",
                 *       "scopes": [
                 *         "intents:write"
                 *       ],
                 *       "expiresIn": "90d",
                 *       "agentIds": [
                 *         "agent-7"
                 *       ],
                 *       "tags": [
                 *         "finance"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["KeyCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keyId": "4fZ0q9Lm",
                     *       "key": "cst_live_4fZ0q9Lm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_000000",
                     *       "name": "billing gateway",
                     *       "scopes": [
                     *         "intents:write"
                     *       ],
                     *       "agentIds": [
                     *         "agent-7"
                     *       ],
                     *       "keepsObligations": [],
                     *       "tags": [
                     *         "finance"
                     *       ],
                     *       "environment": "live",
                     *       "tier": 4,
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "expiresAt": "2026-05-30T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["KeyCreated"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Names the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap": "24h"
                 *     }
                 */
                "application/json": components["schemas"]["KeyRotate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keyId": "7hB2s5Xw",
                     *       "key": "cst_live_7hB2s5Xw_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg_000000",
                     *       "name": "billing gateway",
                     *       "scopes": [
                     *         "intents:write"
                     *       ],
                     *       "agentIds": [
                     *         "agent-7"
                     *       ],
                     *       "keepsObligations": [],
                     *       "tags": [
                     *         "finance"
                     *       ],
                     *       "environment": "live",
                     *       "tier": 4,
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "expiresAt": "2026-05-30T09:30:00.000Z",
                     *       "replaces": {
                     *         "keyId": "4fZ0q9Lm",
                     *         "expiresAt": "2026-03-02T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeyRotated"];
                };
            };
        };
    };
    getHalt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "environment": "live",
                     *       "halted": false,
                     *       "reason": null,
                     *       "keyId": null,
                     *       "since": null
                     *     }
                     */
                    "application/json": components["schemas"]["HaltState"];
                };
            };
        };
    };
    setHalt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Runaway agent, incident 42"
                 *     }
                 */
                "application/json": components["schemas"]["HaltRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "environment": "live",
                     *       "halted": true,
                     *       "reason": "Runaway agent, incident 42",
                     *       "keyId": "4fZ0q9Lm",
                     *       "since": "2026-03-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["HaltState"];
                };
            };
        };
    };
    liftHalt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "The agent is fixed, incident 42"
                 *     }
                 */
                "application/json": components["schemas"]["HaltLift"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "environment": "live",
                     *       "halted": false,
                     *       "reason": null,
                     *       "keyId": null,
                     *       "since": null
                     *     }
                     */
                    "application/json": components["schemas"]["HaltState"];
                };
            };
        };
    };
    replayPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "7d",
                 *       "files": [
                 *         {
                 *           "path": "nights.json",
                 *           "text": "{\"id\":\"nights\",\"description\":\"Nothing is changed at night.\",\"stage\":\"enforce\",\"target\":{\"actions\":[\"update\"],\"resources\":[\"*\"]},\"rules\":[{\"name\":\"not-at-night\",\"conditions\":{\"all\":[{\"fact\":\"time\",\"path\":\"hour\",\"operator\":\"lessThan\",\"value\":6}]},\"event\":{\"type\":\"DENY\",\"params\":{\"code\":\"NIGHT\",\"message\":\"nothing is changed before six\"}}}]}"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayReport"];
                    "text/html": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
        };
    };
    getReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description What its creation or its list gave. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayId": "rpl_01jq3k5v7w9x1y3z5b7d9f1h3t",
                     *       "status": "queued",
                     *       "draft": {
                     *         "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902"
                     *       },
                     *       "progress": {
                     *         "replayed": 0,
                     *         "total": 4711
                     *       },
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "finishedAt": null,
                     *       "error": null,
                     *       "report": null
                     *     }
                     */
                    "application/json": components["schemas"]["Replay"];
                    "text/html": string;
                };
            };
        };
    };
    getShadow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "running": false,
                     *       "draft": null,
                     *       "share": null,
                     *       "findings": [],
                     *       "drafts": []
                     *     }
                     */
                    "application/json": components["schemas"]["ShadowStatus"];
                };
            };
        };
    };
    getPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "activatedAt": "2026-03-01T09:30:00.000Z",
                     *       "author": "folder",
                     *       "reason": null,
                     *       "source": "folder",
                     *       "policies": [
                     *         {
                     *           "id": "nights",
                     *           "description": "Nothing is changed at night.",
                     *           "stage": "enforce",
                     *           "target": {
                     *             "actions": [
                     *               "update"
                     *             ],
                     *             "resources": [
                     *               "*"
                     *             ]
                     *           },
                     *           "rules": [
                     *             {
                     *               "name": "not-at-night",
                     *               "conditions": {
                     *                 "all": [
                     *                   {
                     *                     "fact": "time",
                     *                     "path": "hour",
                     *                     "operator": "lessThan",
                     *                     "value": 6
                     *                   }
                     *                 ]
                     *               },
                     *               "event": {
                     *                 "type": "DENY",
                     *                 "params": {
                     *                   "code": "NIGHT",
                     *                   "message": "nothing is changed before six"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "folder": {
                     *         "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *         "isFollowed": true
                     *       },
                     *       "lastRead": {
                     *         "at": "2026-03-01T09:30:00.000Z",
                     *         "ok": true,
                     *         "findings": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PolicySetStatus"];
                };
            };
        };
    };
    pushPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "nights.json",
                 *           "text": "{\"id\":\"nights\",\"description\":\"Nothing is changed at night.\",\"stage\":\"enforce\",\"target\":{\"actions\":[\"update\"],\"resources\":[\"*\"]},\"rules\":[{\"name\":\"not-at-night\",\"conditions\":{\"all\":[{\"fact\":\"time\",\"path\":\"hour\",\"operator\":\"lessThan\",\"value\":6}]},\"event\":{\"type\":\"DENY\",\"params\":{\"code\":\"NIGHT\",\"message\":\"nothing is changed before six\"}}}]}"
                 *         }
                 *       ],
                 *       "reason": "Ticket SEC-12: nobody works at night"
                 *     }
                 */
                "application/json": components["schemas"]["PushPoliciesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
        };
    };
    withdrawPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The installation refuses the same now"
                 *     }
                 */
                "application/json": components["schemas"]["WithdrawPoliciesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
        };
    };
    listPolicyStages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyStageList"];
                };
            };
        };
    };
    listPolicyActivations: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "activatedAt": "2026-03-01T09:30:00.000Z",
                     *           "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *           "previousDigest": null,
                     *           "organisation": null,
                     *           "author": "folder",
                     *           "reason": null,
                     *           "source": "folder",
                     *           "approver": null,
                     *           "signer": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyActivationList"];
                };
            };
        };
    };
    promotePolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                 *       "reason": "A week without a complaint at acme"
                 *     }
                 */
                "application/json": components["schemas"]["PromotePoliciesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
        };
    };
    dropPolicyStage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the set: SHA-256, lower-case hex. */
                digest: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "It refused the nightly backup"
                 *     }
                 */
                "application/json": components["schemas"]["DropStageRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
        };
    };
    rollBackPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                 *       "reason": "Incident 42: the new rule denies too much"
                 *     }
                 */
                "application/json": components["schemas"]["RollBackPoliciesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
        };
    };
    followPolicyFolder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The change is in the folder now"
                 *     }
                 */
                "application/json": components["schemas"]["FollowFolderRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeResult"];
                };
            };
        };
    };
    comparePolicies: {
        parameters: {
            query: {
                /** @description Of the set: SHA-256, lower-case hex. */
                before: string;
                /** @description Of the set: SHA-256, lower-case hex. */
                after: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "before": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "after": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "parts": [
                     *         {
                     *           "name": "nights",
                     *           "change": "changed"
                     *         }
                     *       ],
                     *       "examples": [
                     *         {
                     *           "rule": "nights/closed",
                     *           "in": "after",
                     *           "intent": "read:db/orders",
                     *           "environment": "live",
                     *           "facts": {
                     *             "time.hour": 5
                     *           },
                     *           "before": "ALLOW",
                     *           "after": "DENY",
                     *           "differs": [
                     *             "verdict"
                     *           ]
                     *         }
                     *       ],
                     *       "withoutExample": []
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyComparison"];
                };
            };
        };
    };
    listPolicyApprovals: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "approvalId": "apr_01jq3kzv5w8e3h2c4n9m7x6y1t",
                     *           "status": "pending",
                     *           "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *           "previousDigest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *           "author": "4fZ0q9Lm",
                     *           "reason": "Ticket SEC-12: nobody works at night",
                     *           "source": "push",
                     *           "signer": null,
                     *           "signature": null,
                     *           "createdAt": "2026-03-01T09:30:00.000Z",
                     *           "expiresAt": "2026-03-01T09:30:00.000Z",
                     *           "decidedAt": null,
                     *           "decidedBy": null,
                     *           "decisionReason": null,
                     *           "votes": []
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyApprovalList"];
                };
            };
        };
    };
    getPolicyApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The change. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approvalId": "apr_01jq3kzv5w8e3h2c4n9m7x6y1t",
                     *       "status": "pending",
                     *       "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "previousDigest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "author": "4fZ0q9Lm",
                     *       "reason": "Ticket SEC-12: nobody works at night",
                     *       "source": "push",
                     *       "signer": null,
                     *       "signature": null,
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "expiresAt": "2026-03-01T09:30:00.000Z",
                     *       "decidedAt": null,
                     *       "decidedBy": null,
                     *       "decisionReason": null,
                     *       "votes": [],
                     *       "authorKey": {
                     *         "name": "release-admin",
                     *         "tags": [
                     *           "security"
                     *         ]
                     *       },
                     *       "mayDecide": true
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyApprovalDetail"];
                };
            };
        };
    };
    approvePolicySet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The change. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket SEC-12, difference read"
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalVerdict"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyApproval"];
                };
            };
        };
    };
    rejectPolicySet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The change. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The rule is too wide"
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalVerdict"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyApproval"];
                };
            };
        };
    };
    getPolicySet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the set: SHA-256, lower-case hex. */
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "engine": 1,
                     *       "lexicon": {},
                     *       "policies": [
                     *         {
                     *           "id": "nights",
                     *           "description": "Nothing is changed at night.",
                     *           "stage": "enforce",
                     *           "target": {
                     *             "actions": [
                     *               "update"
                     *             ],
                     *             "resources": [
                     *               "*"
                     *             ]
                     *           },
                     *           "rules": [
                     *             {
                     *               "name": "not-at-night",
                     *               "conditions": {
                     *                 "all": [
                     *                   {
                     *                     "fact": "time",
                     *                     "path": "hour",
                     *                     "operator": "lessThan",
                     *                     "value": 6
                     *                   }
                     *                 ]
                     *               },
                     *               "event": {
                     *                 "type": "DENY",
                     *                 "params": {
                     *                   "code": "NIGHT",
                     *                   "message": "nothing is changed before six"
                     *                 }
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StoredPolicySet"];
                };
            };
        };
    };
    validatePolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "nights.json",
                 *           "text": "{\"id\":\"nights\",\"description\":\"Nothing is changed at night.\",\"stage\":\"enforce\",\"target\":{\"actions\":[\"update\"],\"resources\":[\"*\"]},\"rules\":[{\"name\":\"not-at-night\",\"conditions\":{\"all\":[{\"fact\":\"time\",\"path\":\"hour\",\"operator\":\"lessThan\",\"value\":\"six\"}]},\"event\":{\"type\":\"DENY\",\"params\":{\"code\":\"NIGHT\",\"message\":\"nothing is changed before six\"}}}]}"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ValidatePoliciesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "valid": false,
                     *       "digest": null,
                     *       "findings": [
                     *         {
                     *           "file": "nights.json",
                     *           "line": 1,
                     *           "column": 241,
                     *           "pointer": "/rules/0/conditions/all/0/value",
                     *           "code": "BAD_VALUE",
                     *           "message": "must be a number"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ValidatePoliciesResponse"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "digest": "7c5aa4f2b08de9d13f65c0b1a2948e7760c3d5f41b9e82a70d6f3c8e15b4a902",
                     *       "items": [],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ToolCatalogueList"];
                };
            };
        };
    };
    getTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 256 characters, no control characters, not "." or "..", not beginning with "custos:". */
                server: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "server": "git",
                     *       "description": null,
                     *       "trustAnnotations": false,
                     *       "tools": [],
                     *       "seen": []
                     *     }
                     */
                    "application/json": components["schemas"]["ToolCatalogue"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "webhookId": "whk_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *           "url": "https://receiver.example.com/custos",
                     *           "events": [
                     *             "decision.made",
                     *             "approval.opened"
                     *           ],
                     *           "filter": {
                     *             "verdicts": [
                     *               "DENY",
                     *               "ESCALATE"
                     *             ]
                     *           },
                     *           "description": null,
                     *           "enabled": true,
                     *           "disabledReason": null,
                     *           "disabledAt": null,
                     *           "failingSince": null,
                     *           "signature": "hmac",
                     *           "publicKey": null,
                     *           "previousKeysUntil": null,
                     *           "createdAt": "2026-03-01T09:30:00.000Z",
                     *           "createdBy": "4fZ0q9Lm"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://receiver.example.com/custos",
                 *       "events": [
                 *         "decision.made",
                 *         "approval.opened"
                 *       ],
                 *       "filter": {
                 *         "verdicts": [
                 *           "DENY",
                 *           "ESCALATE"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WebhookCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "whk_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *       "url": "https://receiver.example.com/custos",
                     *       "events": [
                     *         "decision.made",
                     *         "approval.opened"
                     *       ],
                     *       "filter": {
                     *         "verdicts": [
                     *           "DENY",
                     *           "ESCALATE"
                     *         ]
                     *       },
                     *       "description": null,
                     *       "enabled": true,
                     *       "disabledReason": null,
                     *       "disabledAt": null,
                     *       "failingSince": null,
                     *       "signature": "hmac",
                     *       "publicKey": null,
                     *       "previousKeysUntil": null,
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "createdBy": "4fZ0q9Lm",
                     *       "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "whk_01jq3k5v7w9x1y3z5b7d9f1h3p",
                     *       "url": "https://receiver.example.com/custos",
                     *       "events": [
                     *         "decision.made",
                     *         "approval.opened"
                     *       ],
                     *       "filter": {
                     *         "verdicts": [
                     *           "DENY",
                     *           "ESCALATE"
                     *         ]
                     *       },
                     *       "description": null,
                     *       "enabled": false,
                     *       "disabledReason": "operator",
                     *       "disabledAt": "2026-03-01T09:30:00.000Z",
                     *       "failingSince": null,
                     *       "signature": "hmac",
                     *       "publicKey": null,
                     *       "previousKeysUntil": null,
                     *       "createdAt": "2026-03-01T09:30:00.000Z",
                     *       "createdBy": "4fZ0q9Lm"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Names the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap": "24h"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRotate"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only deliveries in this state. */
                state?: "pending" | "delivered" | "failed";
                /** @description The nextCursor of the page before. Opaque; stays valid while rows are added. */
                cursor?: string;
                /** @description Most items on the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Names the webhook. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with the header `Idempotent-Replayed: true`. Answers repeat the key in `Idempotency-Key`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description Names the webhook. */
                webhookId: string;
                /** @description Names the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "alive"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": [
                     *         {
                     *           "name": "database",
                     *           "ok": true
                     *         }
                     *       ],
                     *       "degraded": [],
                     *       "unknown": [],
                     *       "halted": []
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    listTiers: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "level": 0,
                     *           "name": "Sandbox",
                     *           "from": 0,
                     *           "to": 199
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description One page of them. */
                        items: components["schemas"]["ReferenceTier"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listRateLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "tier": 0,
                     *           "perSecond": 2,
                     *           "perMinute": 10
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description One page of them. */
                        items: components["schemas"]["ReferenceRateLimit"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listErrors: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "code": "E2001",
                     *           "statuses": [
                     *             400,
                     *             422
                     *           ],
                     *           "title": "Request invalid",
                     *           "category": "validation",
                     *           "retryable": false,
                     *           "when": "the request is not what the schema says (400), or files of a policy set have errors (422)"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description One page of them. */
                        items: components["schemas"]["ReferenceError"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listScopes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an earlier answer: 304 when it is still the current one */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "scope": "agents:read",
                     *           "permits": "list and retrieve agent details"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description One page of them. */
                        items: components["schemas"]["ReferenceScope"][];
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
}
