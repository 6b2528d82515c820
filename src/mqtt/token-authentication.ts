import type { RefusedSignIn } from "../modules/devices/device-sign-in.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { RefusalReason, ReportRefusal } from "../modules/refusals/refusals.types.ts";
import type { MqttAuthentication, MqttCredentials } from "./mqtt.types.ts";
import { identityOfStranger, refuseClient, refusedDevice } from "./refused-clients.ts";

/** Creates the authentication of clients whose user name may be an access token, and refuses those for which it is none. */
export function createTokenAuthentication(deps: {
  tokens: Pick<TokenSignIn, "attempt" | "countWrong">;
  report: ReportRefusal;
}) {
  const { tokens, report } = deps;

  /** Refuses a client of which nothing is known. */
  function refuseStranger(
    credentials: MqttCredentials,
    verdict: "wrong" | "later",
    cause: RefusalReason,
  ): MqttAuthentication {
    const isLater = verdict === "later";
    return refuseClient(report, credentials, {
      answer: isLater ? "later" : "bad_credentials",
      reason: isLater ? "too_many_tries" : cause,
      identity: identityOfStranger(credentials),
    });
  }

  function byToken(credentials: MqttCredentials, username: string): MqttAuthentication {
    const found = tokens.attempt(username, credentials.remoteAddress);
    if (typeof found !== "string") return { ok: true, device: found };
    return refuseStranger(credentials, found, "token_wrong");
  }

  function withoutPassword(credentials: MqttCredentials): MqttAuthentication {
    const { username, certificate, remoteAddress } = credentials;
    if (username) return byToken(credentials, username);
    const cause = certificate === undefined ? "credential_missing" : "certificate_wrong";
    return refuseStranger(credentials, tokens.countWrong(remoteAddress), cause);
  }

  /** The user name may be a token all the same: some clients cannot leave the password out. */
  function afterWrongPassword(credentials: MqttCredentials, tried: RefusedSignIn): MqttAuthentication {
    const { username, remoteAddress } = credentials;
    if (tried.device === undefined)
      return username
        ? byToken(credentials, username)
        : refuseStranger(credentials, tokens.countWrong(remoteAddress), "password_wrong");
    const found = username ? tokens.attempt(username, remoteAddress) : tokens.countWrong(remoteAddress);
    if (typeof found !== "string") return { ok: true, device: found };
    return refuseClient(report, credentials, refusedDevice({ ...tried, refused: found }));
  }

  return { withoutPassword, afterWrongPassword };
}
