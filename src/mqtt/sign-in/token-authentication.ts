import type { TokenSignIn } from "../../modules/devices/token-sign-in.service.ts";
import type { RefusalReason, ReportRefusal } from "../../modules/faults/refusals.types.ts";
import type { MqttAuthentication, MqttCredentials } from "../mqtt.types.ts";
import { identityOfStranger, refuseClient } from "./refused-clients.ts";

/** Creates the authentication by an access token as user name. It is tried last and refuses clients with an invalid token. */
export function createTokenAuthentication(deps: {
  tokens: Pick<TokenSignIn, "attempt" | "countWrong">;
  report: ReportRefusal;
}) {
  const { tokens, report } = deps;

  /** Refuses an unknown client. */
  function refuseStranger(
    credentials: MqttCredentials,
    verdict: "wrong" | "later",
    cause: RefusalReason,
  ): MqttAuthentication {
    const isLater = verdict === "later";
    return refuseClient(report, credentials, {
      response: isLater ? "later" : "bad_credentials",
      reason: isLater ? "too_many_tries" : cause,
      identity: identityOfStranger(credentials),
    });
  }

  function byToken(
    credentials: MqttCredentials,
    username: string | undefined,
    cause: RefusalReason,
  ): MqttAuthentication {
    const { remoteAddress } = credentials;
    if (!username) return refuseStranger(credentials, tokens.countWrong(remoteAddress), cause);
    const found = tokens.attempt(username, remoteAddress);
    if (typeof found !== "string") return { ok: true, device: found };
    return refuseStranger(credentials, found, "token_wrong");
  }

  return {
    refuseStranger,
    withoutPassword(credentials: MqttCredentials, isUnconfirmed: boolean): MqttAuthentication {
      const { username, certificate } = credentials;
      const unknown = isUnconfirmed ? "certificate_unconfirmed" : "certificate_wrong";
      return byToken(credentials, username, certificate === undefined ? "credential_missing" : unknown);
    },
    /** Tries the user name as a token, because some clients cannot leave the password empty. */
    afterUnknownName: (credentials: MqttCredentials): MqttAuthentication =>
      byToken(credentials, credentials.username, "password_wrong"),
  };
}

export type TokenAuthentication = ReturnType<typeof createTokenAuthentication>;
