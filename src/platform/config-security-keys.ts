const text = { type: "text" } as const;
const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys about sign-in and what the gateway tells about itself. */
export const securityConfigKeys = {
  session_days_max: {
    kind: count(1, 3_650),
    default: 90,
    description:
      "Days after which a session ends however often it was renewed: people sign in again. Without renewal it ends after 30 days.",
  },
  api_docs: {
    kind: { type: "choice", choices: ["open", "signed-in"] },
    default: "open",
    description:
      "Who may read the API's document at `/docs/json`: everybody who reaches the gateway, or people who are signed in and API keys.",
  },
  security_contact: {
    kind: text,
    default: undefined,
    description:
      "Where finders of vulnerabilities in this gateway's operation write to: an e-mail address or an `https:` address, shown in `/.well-known/security.txt`. Without it there is no such file.",
  },
} as const;
