import { expect, test } from "bun:test";
import { changeUrlSecrets, secretProblem } from "../../../src/lib/network/outbound-request.ts";

const secrets = [
  ...["key", "KEY", "code", "sig", "auth", "pwd", "pass", "pw", "PW"],
  ...[
    "subscription-key",
    "Ocp-Apim-Subscription-Key",
    "x-functions-key",
    "device_key",
    "auth_code",
    "u_pw",
    "x-sig",
  ],
  ...["http_auth", "db-pass", "user_pwd", "apikey", "api-key", "api_keys", "accessKey", "access_key_id"],
  ...[
    "token",
    "access_token",
    "client_secret",
    "password",
    "passwd",
    "signature",
    "credential",
    "authorization",
  ],
  ...[
    "authKey",
    "writeKey",
    "functionKey",
    "sharedkey",
    "subscriptionKey",
    "appKey",
    "userPass",
    "jwt",
    "hmac",
    "sas",
  ],
  ...[
    "bearer",
    "session",
    "key2",
    "pwd1",
    "key[]",
    "auth[key]",
    "api.key",
    "private key",
    "x:key",
    "$key",
    "key ",
  ],
];
const plain = [
  "monkey",
  "keys",
  "page",
  "design",
  "author",
  "barcode",
  "zipcode",
  "compass",
  "keyboard",
  "sigma",
  "path",
  "keyName",
  "codec",
  "passage",
];

test.each(secrets)("%s names a secret in a query", (name) => {
  const asProblem = expect.objectContaining({ code: "rule.query_secret", params: { name } });
  for (const query of [`${name}=x`, `a=1&${name}=x#end`, `${name.replace(/[^$]/, encode)}=x`])
    expect(secretProblem(`https://erp.example/in?${query}`)).toEqual(asProblem);
  for (const query of ["", name, `${name}=`, `a=1#${name}=x`, `a=${name}`])
    expect(secretProblem(`https://erp.example/in?${query}`)).toBeUndefined();
});

test.each(plain)("%s names no secret in a query", (name) => {
  expect(secretProblem(`https://erp.example/in?${name}=x`)).toBeUndefined();
});

function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

test("a part of a path that looks like a token is changed, with a literal plus as with an encoded one", () => {
  for (const token of ["a1b2c3d4e5f6a7b8c9d0+x", "a1b2c3d4e5f6a7b8c9d0%2Bx", "a1b2c3d4e5f6a7b8c9d0"])
    expect(changeUrlSecrets(`https://erp.example/in/${token}/x`, () => "*")).toBe(
      "https://erp.example/in/*/x",
    );
});

test("webhook addresses that are secrets are recognized by their hosts, wherever people can read them", () => {
  for (const url of [
    "https://hooks.slack.com/services/T0/B0/XXXX",
    "https://hooks.slack.com//services//T0/B0/abc",
    "https://discord.com/api/webhooks/123456/abc",
    "https://canary.discordapp.com/api/v10/webhooks/123456/abc",
    "https://plant.webhook.office.com/webhookb2/guid@guid/IncomingWebhook/abc/def",
    "https://maker.ifttt.com/trigger/hot/with/key/abc",
    "https://api.telegram.org/bot123:abc/sendMessage",
  ]) {
    expect([url, secretProblem(url)?.code]).toEqual([url, "rule.path_secret"]);
    expect(changeUrlSecrets(url, () => "*")).not.toContain("abc");
  }
  for (const url of [
    "https://erp.example/in/0f8fad5b-d9cb-469f-a165-70867728950e/readings",
    "https://discord.com/api/channels/123456/messages",
    "https://hooks.slack.com/",
  ])
    expect([url, secretProblem(url)]).toEqual([url, undefined]);
});
