import { expect, test } from "bun:test";
import { queryProblem } from "../../../src/lib/network/outbound-request.ts";

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
    expect(queryProblem(`https://erp.example/in?${query}`)).toEqual(asProblem);
  for (const query of ["", name, `${name}=`, `a=1#${name}=x`, `a=${name}`])
    expect(queryProblem(`https://erp.example/in?${query}`)).toBeUndefined();
});

test.each(plain)("%s names no secret in a query", (name) => {
  expect(queryProblem(`https://erp.example/in?${name}=x`)).toBeUndefined();
});

function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
