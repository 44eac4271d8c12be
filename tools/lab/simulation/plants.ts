import type { Plants, Replacement } from "../planted-code.ts";

/* Bugs that the simulation or the life cycle must find. */

const inFile =
  (file: string) =>
  (text: string, by = ""): Replacement => ({ file: `lambdas/${file}.ts`, text, by });

const changes = inFile("dynamodb/changes");
const history = inFile("dynamodb/change-history");
const openTable = inFile("dynamodb/open-table");
const keyStore = inFile("domain/keys/keys-table");
const tokenStore = inFile("domain/tokens/dynamodb-token-store");
const lifeCycle = inFile("domain/tokens/life-cycle");
const succession = inFile("domain/tokens/succession");
const clientSuccession = inFile("domain/tokens/by-client/client-succession");
const clientChanges = inFile("domain/tokens/by-client/client-changes");
const trust = inFile("domain/tokens/trust");
const exchange = inFile("domain/tokens/by-workload/exchange-jwt");
const authenticate = inFile("domain/tokens/authenticate");
const addressRequest = inFile("domain/tokens/address-request");
const limits = inFile("domain/limits/limits-table");
const usageHour = inFile("domain/usage/usage-hour");
const noticesTable = inFile("domain/notices/notices-table");
const findNotices = inFile("notices/find-notices");
const dueNotices = inFile("admin/notices/due-notices");
const decideRequest = inFile("admin/tokens/decide-request");
const verifyToken = inFile("middlewares/verify-token");
const limitRate = inFile("middlewares/limit-rate");

const always = 'condition: "attribute_not_exists(nothing)"';

/** Changes for which something is true are made without the part of their condition that stops late attempts. */
const unguarded = (...isMeant: Replacement[]): Replacement[] => [
  changes("remove = [], entry, seen }: Change<R>", "remove = [], entry, seen, isUnguarded }: Change<R>"),
  changes("guard.condition, ...", "...(isUnguarded ? [] : [guard.condition]), ..."),
  changes("...guard.values,", "...(!isUnguarded && guard.values),"),
  ...isMeant,
];

const keyUpdates = {
  create: "set: (created_at) => ({ v_code,",
  replace: "set: () => ({ v_code,",
  delete: "set: () => ({ deletion_id: randomUUID(),",
};
const rotation = "set: () => ({ ...rotation,";
const tokenUpdate = "...settingOf(fields), entry: entryOf(note) }";

const unguardedKey = (text: string) => unguarded(keyStore(text, `isUnguarded: true, ${text}`));
const unguardedUpdate = (isMeant: string, rest = "") =>
  unguarded(tokenStore(tokenUpdate, `...settingOf(fields), entry: entryOf(note), isUnguarded: ${isMeant}, ${rest} }`));

export const plants: Plants = {
  // Late attempts that undo acknowledged changes.
  "a late insertion revives a revoked token": unguarded(
    tokenStore(
      "...possibleFrom(lifeCycle.issue.from),",
      `isUnguarded: true, ${always}, appliesTo: () => true, remove: ["revoked_at", "revoked_by"],`,
    ),
  ),
  "a late replacement undoes a later one": unguardedKey(keyUpdates.replace),
  "a late deletion deletes a key that was created again": unguardedKey(keyUpdates.delete),
  "a late creation brings a deleted key back": unguardedKey(keyUpdates.create),
  "a late change of a limit undoes a later one": unguardedUpdate("update.rate_limit !== undefined"),

  // Invitations, rotations and moves.
  "a confirmation ignores the address": [
    decideRequest("request?.ip !== ip || request.code !== code", "request?.code !== code"),
  ],
  "a confirmation ignores the code": [
    decideRequest("request?.ip !== ip || request.code !== code", "request?.ip !== ip"),
  ],
  "a text can be derived after its first use": [tokenStore(":used_at REMOVE repeat_nonce", ":used_at")],
  "a text is repeated after its time": [clientChanges("15 * 60 * 1000", "75 * 60 * 1000")],
  "an invitation is used twice": [
    inFile("domain/tokens/by-client/redeem-invitation")("if (!isUnredeemed(record))", "if (false)"),
    tokenStore("...possibleFrom(lifeCycle.redeem.from)", `${always}, appliesTo: () => true`),
  ],
  "a token moves without a confirmation": [
    clientSuccession('phase !== "move_confirmed"', "false"),
    clientSuccession("requestIn(record)?.ip !== ip", "false"),
  ],
  "a move leaves the old token active": [clientSuccession("now, graceSeconds: 0 }", "now, graceSeconds: 3_600 }")],
  "a shorter grace does not end the old token sooner": [clientSuccession("oldEndsAt !== old.expires_at", "false")],
  "a repeated call gives another text": [
    clientChanges("? formatTokenText(text)", '? formatTokenText({ ...text, secret: "0".repeat(43) })'),
  ],
  "a token cannot be revoked from elsewhere": [
    inFile("v1/revoke-token")("await revoke(", "if (ip === token.ip) await revoke("),
  ],
  "a rejected request can still be fulfilled": [
    addressRequest('request?.decision === "confirmed" &&', "request?.decision !== undefined &&"),
  ],
  "an address is given the code of another one": [addressRequest("code: newCode()", 'code: "777-777"')],
  "a decision that came second is acknowledged": [
    decideRequest(" && current.decision === decision) return", ") return"),
  ],
  "a rotation without a response revokes the successor": [succession("await tokens.settle(token_id)", "undefined")],
  "a use leaves what the text can be derived from": [
    verifyToken('token.last_used_at ?? "1970"', "token.last_used_at ?? token.issued_at"),
    verifyToken("!isDue && token.repeat_nonce === undefined", "!isDue"),
  ],
  "a rotation is dated before an edit that it follows": [
    succession("rotated_at: now,", "rotated_at: plusSeconds(now, -1),"),
  ],
  "attempts are not counted": [addressRequest("attempts: attempts + 1", "attempts: 1")],
  "a replaced token is not revoked": [lifeCycle('...working, "replaced"]', "...working]")],

  // Workloads.
  "a token is not looked at under its trust": [authenticate("token: await underTrust(token, tokens)", "token")],
  "tokens of before an end are accepted": [trust("&& trust.trusted_at === token.trusted_at")],
  "an address that a trust no longer names is accepted": [
    trust("&& [token.ip, unknownIp].includes(trust.ip)"),
    tokenStore("endsTokens || isMoved", "endsTokens"),
  ],
  "a trust ends only by the clock": [inFile("admin/trusts/end-trust")(", revoked_at: now, revoked_by: author.by")],
  "the tokens of a trust are not ended": [inFile("admin/trusts/end-trust-tokens")("({ endsTokens: true })", "({})")],
  "trusting again revives old tokens": [
    tokenStore('?? null) }, ["trusted_at"])', "?? null) })"),
    // When the setup of each schedule trusts the workload.
    inFile("admin/trusts/create-trust")("trusted_at: now", 'trusted_at: "2026-11-21T07:15:00.004Z"'),
  ],
  "a trust that names its earlier address again revives tokens": [tokenStore("endsTokens || isMoved", "endsTokens")],
  "a trust is made in place of a live one": [
    tokenStore("expires_at <= :now OR attribute_exists(revoked_at)", "expires_at <= :now OR attribute_exists(subject)"),
    tokenStore("trust === undefined || !isTrusted(trust, now)", "true"),
  ],
  "a change of a trust that came second is acknowledged": [
    inFile("admin/trusts/changed-trust")(
      "return made ? { trust: requireTrust(token), made } : { current: token };",
      "return { trust: { ...requireTrust(token), ...terms(now), ...by } };",
    ),
  ],
  "a JWT makes another token each time": [exchange("idFrom(signedPart(jwt),", "idFrom(nonce,")],
  "an exchange overwrites a token": [
    tokenStore("...possibleFrom(lifeCycle.exchange.from)", `${always}, appliesTo: () => true`),
  ],
  "an exchange cannot be repeated": [exchange("repeated !== undefined) return", "false) return")],
  "a text is repeated for another address": [clientChanges("record.ip !== ip || ")],
  "a successor outlives an exchanged token": [exchange("end_set_at: now,")],
  "a token outlives its trust": [
    exchange("trust.expires_at !== undefined && trust.expires_at < end ? trust.expires_at : end", "end"),
  ],
  "a successor does not know its trust": [succession("{ trust_id: old.trust_id }", "{}")],
  "a successor does not know since when its workload is trusted": [succession("{ trusted_at: old.trusted_at }", "{}")],
  "a token is counted apart from its trust": [exchange("limit_id: trust.token_id,")],

  // Histories.
  "an entry is written after its change": [
    changes("newEntry === undefined ? undefined : entryAddition(newEntry, known)", "undefined"),
    changes("removed: remove, entry: newEntry", "removed: remove, entry: undefined"),
    changes(
      "if (updated.applied) {",
      `if (updated.applied) {
        await update({ expression: "ADD #history :entry", values: { entry: new Set([newEntry ?? ""]) } });`,
    ),
  ],
  "an entry is lost when a history makes room": [history("+ 1 - kept.length", "- kept.length")],
  "a creation is forgotten when a history makes room": [
    history("[first, ...others.slice(2 - keptEntries)", "[...others.slice(1 - keptEntries)"),
  ],
  "an entry is added again after a lost response": [
    changes("if (isRepeated &&", `if (isRepeated && !newEntry?.includes('"updated"') &&`),
  ],
  "an entry names another person": [
    inFile("domain/history/change-entry")("[time, kind, author.by,", '[time, kind, "invoke:somebody",'),
  ],
  "a v_code is shown although that could not be recorded": [
    inFile("admin/keys/reveal-key")(
      "await stores.history.recordReveal(key_id, author)",
      "await stores.history.recordReveal(key_id, author).catch(() => {})",
    ),
  ],

  // Notices.
  "a notice that may have arrived is sent again": [
    findNotices('{ channel, id }, "uncertain")', '{ channel, id }, "pending")'),
  ],
  "a notice that was refused is forgotten": [
    inFile("notices/deliver")('settle(refused, "pending")', 'settle(refused, "sent")'),
  ],
  "nobody is told what may not have arrived": [findNotices("await notices.add(uncertain, now);")],
  "a claim is not stored": [
    noticesTable('sending: "sending", attempt: id, now', 'sending: "pending", attempt: id, now'),
  ],
  "a notice is known by when it was found": [
    dueNotices('notice("token_unused", lastActivity,', 'notice("token_unused", now,'),
  ],
  "the last use is not read": [dueNotices("lastActivity = last_used_at ??", "lastActivity =")],
  "a token is taken for older than it is": [
    dueNotices("beganAt = invitation?.redeemed_at ?? token.issued_at", 'beganAt = "2026-01-01T00:00:00.000Z"'),
  ],
  "a rotation is not noticed": [dueNotices("if (isInUse &&", "if (false &&")],

  // Conditions and times.
  "a slow response is awaited to its end": [inFile("dynamodb/client/deadline")("}, at - beganAt);", "}, 60_000);")],
  "a deletion leaves nothing": [keyStore(keyUpdates.delete, `${keyUpdates.delete} delete_at: 1,`)],
  "a key that is created again keeps the end of its tombstone": [
    keyStore('["deletion_id", "delete_at"]', '["deletion_id"]'),
  ],
  "a creation overwrites a key": [keyStore(keyUpdates.create, `${always}, ${keyUpdates.create}`)],
  "a replacement creates a key": [keyStore(keyUpdates.replace, `${always}, ${keyUpdates.replace}`)],
  "a change does not compare before it sets": [
    changes(
      "const changedAtExactly = (attribute: string, time: string): Guard => ({",
      `const changedAtExactly = () => ({ ${always}, values: {} });
      const unused = (attribute, time) => ({`,
    ),
  ],
  "a change waits for no clock": [changes("+ operationMilliseconds;", "+ operationMilliseconds - 20_000;")],
  "a change does not allow for clocks that differ": [
    changes("clockDifferenceMilliseconds + operationMilliseconds;", "operationMilliseconds;"),
  ],
  "the time of a change does not move": [
    changes("{ ...set(time), [timeOfChange]: time }", '{ ...set(time), [timeOfChange]: "2026-11-21T09:00:00.000Z" }'),
  ],
  "a token is rotated twice": unguarded(
    tokenStore("lifeCycle.shorten.from : lifeCycle.rotate.from", "working : working"),
    tokenStore(rotation, `isUnguarded: true, ${rotation}`),
  ),
  "a rotation ignores an edit that came first": unguarded(tokenStore(rotation, `isUnguarded: true, ${rotation}`)),
  "the end of a rotated token is moved": [
    tokenStore("working : unrotated", "working : working"),
    ...unguardedUpdate("true"),
  ],
  "a dismissal forgets another one": unguardedUpdate("update.dismissed_addresses !== undefined"),
  "a token is revoked twice": [tokenStore("set: () => ({ ...by,", `${always}, set: () => ({ ...by,`)],
  "a revocation forgets a successor that is being made": [
    succession("known === undefined && successor_id !== undefined", "false"),
  ],
  "an update revives a revoked token": [
    tokenStore("const fields = { ...update,", "const fields = { ...update, revoked_at: null, revoked_by: null,"),
    ...unguardedUpdate("true", always),
  ],

  // Reads.
  "a verdict is cached": [
    tokenStore(
      "find: (token_id) => table.get({ token_id })",
      "find: (id) => (table[id] ??= table.get({ token_id: id }))",
    ),
  ],
  "a token is read from a replica": [
    openTable("ConsistentRead: true });", 'ConsistentRead: TableName !== "tokens" });'),
  ],
  "a key is read from a replica": [openTable("ConsistentRead: true });", 'ConsistentRead: TableName !== "keys" });')],
  "expiry is compared with the wrong time": [
    lifeCycle(
      "expires_at !== undefined && expires_at <= now",
      "expires_at !== undefined && expires_at.slice(0, 13) < now.slice(0, 13)",
    ),
  ],
  "a revocation is not read": [lifeCycle("revoked_at !== undefined || isTrust(record)", "isTrust(record)")],
  "an end that an admin has set is not read": [succession(" || end_set_at !== undefined")],
  "any secret is accepted": [
    inFile("domain/tokens/token-value")("return equal && written === actual.length", "return true"),
  ],
  "a list shows deleted keys": [
    openTable(
      ": readUnlessDeleted;",
      `: (item) => readUnlessDeleted(item) ??
          read({ ...item, v_code: { S: "c".repeat(64) }, created_at: item.updated_at });`,
    ),
  ],
  "a list lacks a key": [
    keyStore(
      "await table.page(request);\n    return { ...page, keys: records }",
      'await table.page(request);\n    return { ...page, keys: records.filter(({ key_id }) => key_id !== "two") }',
    ),
  ],

  // Responses.
  "an address is taken from the wrong place": [verifyToken("sourceIp: http.sourceIp", 'sourceIp: "198.51.100.7"')],
  "a condition is not read": [keyStore("if (!versions) return", "return")],
  "a failed deletion is reported as done": [
    inFile("v1/delete-key")("caller.author, ifMatch)", 'caller.author, ifMatch).catch(() => "deleted")'),
  ],
  "a failed creation is reported as done": [
    inFile("v1/create-key")(
      "await keys.create(form, caller.author)",
      'await keys.create(form, caller.author).catch(() => ({ outcome: "created", key: { ...form, created_at: "", updated_at: "" } }))',
    ),
  ],
  "a failed revocation is reported as done": [
    inFile("admin/tokens/revoke")(
      "{ by: author.by, author })",
      "{ by: author.by, author }).catch(() => ({ ...seen, revoked_at: new Date().toISOString(), revoked_by: author.by }))",
    ),
  ],

  // Counters.
  "a limit is not enforced": [
    limits("(attribute_not_exists(taken) OR taken < :limit) AND "),
    limits("values: { one: 1, limit,", "values: { one: 1,"),
  ],
  "a text that has ended is counted": [limitRate('credential === "token" || isIn(', "true || isIn(")],
  "a repeated attempt is counted twice": [limits("turn.name} < :number", "turn.name} <= :number")],
  "an update of a counter is lost": [limits("values: { one: 1,", "values: { one: turn.number % 2,")],
  "a repeated delivery is counted twice": [
    usageHour('const isNew = ["batches", "earlier_batches"]', 'const isNew = ["nothing"]'),
  ],
  "a delivery is marked but not counted": [
    usageHour("...countsToAdd(hour).map(", "...countsToAdd(hour).slice(0, 0).map("),
  ],
};
