// A real OpenID Connect provider as a process of its own: `openid-provider-child.ts <redirect addresses, with commas> <port>`.
// Its sign-in page takes any name; the name is the e-mail address, which is verified unless it begins with
// "unverified"; of one that begins with "unstated" nothing is said.
import Provider from "oidc-provider";
import { freePort } from "./free-port.ts";
import { CLIENT_ID, CLIENT_SECRET } from "./openid-provider.ts";

async function serve(redirectUris: string[], port: number): Promise<void> {
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: redirectUris }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    pkce: { required: () => true },
    async findAccount(_context, id) {
      const verified = id.startsWith("unstated") ? {} : { email_verified: !id.startsWith("unverified") };
      return {
        accountId: id,
        claims: async () => ({ sub: id, email: id, ...verified, name: "Petra Provider" }),
      };
    },
  });
  provider.listen(port, "127.0.0.1", () => console.log(`ready ${issuer}`));
}

if (import.meta.main) {
  const [redirectUris = "", port] = process.argv.slice(2);
  await serve(redirectUris.split(","), port === undefined ? await freePort() : Number(port));
}
