const text = { type: "text" } as const;
const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys about sign-in and what the gateway publishes about itself. */
export const securityConfigKeys = {
  session_days_max: {
    kind: count(1, 3_650),
    default: 90,
    description:
      "Days after which a session ends, however often it was renewed. People then sign in again. Without renewal, a session ends after 30 days.",
  },
  api_docs: {
    kind: { type: "choice", choices: ["open", "signed-in"] },
    default: "open",
    description:
      "Who may read the API's document at `/docs/json`: `open` is everybody who reaches the gateway, `signed-in` is signed-in people and API keys.",
  },
  metrics: {
    kind: { type: "choice", choices: ["off", "open"] },
    default: "off",
    description:
      "Who may read `/metrics`, which Prometheus scrapes: `open` is everybody who reaches the gateway, `off` is nobody, or whoever has the `metrics_token`.",
  },
  metrics_token: {
    kind: text,
    default: undefined,
    description: "Bearer token with which Prometheus reads `/metrics`.",
  },
  security_contact: {
    kind: text,
    default: undefined,
    description:
      "Contact for people who find a vulnerability in how this gateway is operated: an e-mail address or an `https:` address. It is published in `/.well-known/security.txt`, which does not exist without it.",
  },
} as const;
