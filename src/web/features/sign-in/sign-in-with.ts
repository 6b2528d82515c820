import { codeChallenge, randomToken } from "../../lib/pkce.ts";
import { CALLBACK_PATH, keepToken } from "../../platform/session.ts";
import { sessionApi } from "../../platform/session-api.ts";

/** Signs in a user who has just set a password in the console, without the hosted page. */
export async function signInWith(email: string, password: string): Promise<void> {
  const verifier = randomToken();
  const redirectUri = CALLBACK_PATH;
  const { code } = await sessionApi.authorize({
    email,
    password,
    redirectUri,
    codeChallenge: codeChallenge(verifier),
  });
  keepToken((await sessionApi.exchange(code, verifier)).accessToken);
}
