import type { UserId } from "../../lib/core/ids.ts";
import { AttemptLimit } from "../../lib/data/attempt-limit.ts";
import { secretHint, shownName } from "../../lib/strings/secret-hint.ts";
import { TurnCache } from "../../platform/load/turn-cache.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { RefusedCredential, ReportRefusal } from "../faults/refusals.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { AccessTokens, Authenticator } from "./identity.types.ts";

/** Rate of wrong bearer credentials per address on WebSockets: many screens may reconnect simultaneously after their sessions have ended. */
const WRONG = { perSecond: 1, burst: 60 };

/** Creates the authentication of both kinds of bearer credentials: access tokens of users, and API keys. */
export function createAuthenticator(deps: {
  keys: {
    isKey(credential: string): boolean;
    authenticate(credential: string): Principal | undefined;
    refusalOf(credential: string): RefusedCredential;
  };
  identity: Pick<Authenticator, "authenticate">;
  tokens: AccessTokens;
  users: Pick<UsersService, "findById">;
  clock: Pick<Clock, "monotonic">;
  /** Returns a number that grows with every change of the database. */
  changes: () => number;
  report: ReportRefusal;
}): Authenticator {
  const { keys, identity, tokens, users, report } = deps;
  const sessions = new TurnCache<Promise<Principal | undefined>>(deps.changes);
  const wrong = new AttemptLimit(WRONG);

  /** Returns the refusal for a credential. Only claims with a valid signature are used, so that a forged token cannot name a user. */
  async function refusalOf(credential: string): Promise<RefusedCredential> {
    if (keys.isKey(credential)) return keys.refusalOf(credential);
    const claims = await tokens.readExpired(credential);
    if (claims === undefined)
      return { reason: "session_token_wrong", identity: { kind: "session", name: secretHint(credential) } };
    const user = users.findById(claims.sub as UserId); // signed by us
    const isCurrent = (await tokens.verify(credential)) !== undefined;
    const isDisabled = user !== undefined && user.status !== "ACTIVE";
    return {
      reason: isDisabled ? "user_disabled" : isCurrent ? "session_ended" : "session_expired",
      identity: { kind: "user", name: shownName(user?.email ?? "") },
      owner: { tenantId: user?.tenantId ?? undefined, userId: user?.userId },
    };
  }

  return {
    authenticate: async (credential) =>
      keys.isKey(credential)
        ? keys.authenticate(credential)
        : sessions.get(credential, identity.authenticate),
    async refused(credential, peer, edge) {
      const waitMs = edge === "realtime" ? wrong.take(peer.address, deps.clock.monotonic()) : 0;
      const { reason, identity: named, owner } = await refusalOf(credential);
      report({ edge, ...peer, reason: waitMs > 0 ? "too_many_tries" : reason, identity: named, ...owner });
      return waitMs;
    },
  };
}
