const text = { type: "text" } as const;
const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys for sign-in and for information that the gateway publishes about itself. */
export const securityConfigKeys = {
  session_days_max: {
    kind: count(1, 3_650),
    default: 90,
    description:
      "Days after which a session ends, even if it was renewed. The user then signs in again. Without renewal, a session ends after 30 days.",
  },
  api_docs: {
    kind: { type: "choice", choices: ["open", "signed-in"] },
    default: "open",
    description:
      "Readers of the API's document at `/docs/json`: `open` allows everybody who reaches the gateway, `signed-in` allows signed-in users and API keys.",
  },
  metrics: {
    kind: { type: "choice", choices: ["off", "open"] },
    default: "off",
    description:
      "Readers of `/metrics`, which Prometheus scrapes: `open` allows everybody who reaches the gateway. `off` allows only requests with the `metrics_token`.",
  },
  metrics_token: {
    kind: text,
    default: undefined,
    secret: true,
    description: "Bearer token with which Prometheus reads `/metrics`.",
  },
  security_contact: {
    kind: text,
    default: undefined,
    description:
      "Contact for people who find a vulnerability in how this gateway is operated: an email address or an `https:` address. It is published in `/.well-known/security.txt`, which does not exist without it.",
  },
} as const;
