import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError } from "../../platform/api.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { token } from "../../platform/session.ts";
import { Entrance } from "../../ui/entrance.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, SubmitButton } from "../../ui/parts.tsx";
import { useCountdown } from "../../ui/use-countdown.ts";
import { useAction } from "../../ui/use-form.ts";
import { accountApi, signInWith } from "../account/account-api.ts";
import type { Plan, SignUpForm } from "../account/account-types.ts";
import { forgetSignUp, keepSignUp, keptSignUp } from "./sign-up-step.ts";

const PASSWORD_MIN = 10;
const RESEND_AFTER_S = 60; // the server sends no two codes sooner

const isClosed = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

/** For strangers, where that is open: details, the code of the mail, and in. The name of the site is asked for after that. */
export function SignUpScreen() {
  const { route } = useLocation();
  const [form, setForm] = useState<SignUpForm | undefined>(undefined);
  /** The step of the code, since when the code was sent or somebody said to have one. */
  const [code, setCode] = useState(keptSignUp);
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    if (token.value !== undefined) route("/", true);
  }, []);
  if (closed) return <Closed />;
  if (code)
    return (
      <CodeStep
        email={code.email}
        password={form?.password}
        minutes={code.minutes}
        onBack={() => {
          forgetSignUp();
          setCode(undefined);
        }}
        onDone={() => {
          forgetSignUp();
          route("/", true);
        }}
      />
    );
  return (
    <DetailsStep
      given={form}
      onSent={(details, expiresInSeconds) => {
        const step = { email: details.email, minutes: Math.round(expiresInSeconds / 60) };
        keepSignUp(step);
        setForm(details);
        setCode(step);
      }}
      onHasCode={() => {
        setForm(undefined);
        setCode({});
      }}
      onClosed={() => setClosed(true)}
    />
  );
}

function Closed() {
  return (
    <Entrance title={t("signUp.closed")}>
      <p class="mb-4">{t("signUp.closedHint")}</p>
      <a class="btn btn-primary w-full" href="/">
        {t("setup.toSignIn")}
      </a>
    </Entrance>
  );
}

function limitsText({ limits }: Plan): string {
  const parts = [
    limits.devices !== null && t("signUp.devices", { count: formatCount(limits.devices) }),
    limits.users !== null && t("signUp.users", { count: formatCount(limits.users) }),
    limits.retentionDays !== null && t("signUp.days", { count: formatCount(limits.retentionDays) }),
  ].filter((part) => part !== false);
  return parts.length === 0 ? t("signUp.unlimited") : parts.join(", ");
}

function DetailsStep(props: {
  given: SignUpForm | undefined;
  onSent: (form: SignUpForm, expiresInSeconds: number) => void;
  onHasCode: () => void;
  onClosed: () => void;
}) {
  const plans = useResource(accountApi.plans, []);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const text = (name: string) => String(data.get(name) ?? "").trim();
    const form: SignUpForm = {
      fullName: text("fullName"),
      email: text("email"),
      password: String(data.get("password")),
      planId: text("planId"),
    };
    action.run(async () => {
      try {
        props.onSent(form, (await accountApi.signUp(form)).expiresInSeconds);
      } catch (error) {
        if (!isClosed(error)) throw error;
        props.onClosed();
      }
    });
  };
  return (
    <Entrance title={t("signUp.title")}>
      {plans.error !== undefined && <ErrorNote error={plans.error} onRetry={plans.reload} />}
      {plans.loading && !plans.data && <p class="text-soft">{t("common.loading")}</p>}
      {plans.data && (
        <form class="flex flex-col gap-4" onSubmit={submit}>
          <p class="text-soft">{t("signUp.intro")}</p>
          <Field label={t("setup.fullName")}>
            <input
              class="input w-full"
              name="fullName"
              autocomplete="name"
              required
              maxLength={200}
              pattern=".*\S.*"
              defaultValue={props.given?.fullName}
            />
          </Field>
          <Field label={t("setup.email")}>
            <input
              class="input w-full"
              name="email"
              type="email"
              autocomplete="username"
              required
              maxLength={254}
              defaultValue={props.given?.email}
            />
          </Field>
          <Field label={t("setup.password")} hint={t("setup.passwordHint")}>
            <input
              class="input w-full"
              name="password"
              type="password"
              autocomplete="new-password"
              required
              minLength={PASSWORD_MIN}
              maxLength={256}
            />
          </Field>
          <PlanChoice plans={plans.data} chosen={props.given?.planId} />
          {action.error !== undefined && <ErrorNote error={action.error} />}
          <SubmitButton busy={action.busy}>{t("signUp.submit")}</SubmitButton>
          <button type="button" class="btn btn-ghost btn-sm self-center" onClick={props.onHasCode}>
            {t("signUp.hasCode")}
          </button>
          <p class="text-sm text-soft">
            {t("signUp.known")}{" "}
            <a class="link" href="/">
              {t("signIn.again")}
            </a>
          </p>
        </form>
      )}
    </Entrance>
  );
}

function PlanChoice({ plans, chosen }: { plans: readonly Plan[]; chosen: string | undefined }) {
  const [planId, setPlanId] = useState(chosen ?? plans[0]?.id);
  const plan = plans.find(({ id }) => id === planId);
  return (
    <Field label={t("signUp.plan")} hint={plan && limitsText(plan)}>
      <select
        class="select w-full"
        name="planId"
        required
        value={planId}
        onChange={(e) => setPlanId(e.currentTarget.value)}
      >
        {plans.map(({ id, name }) => (
          <option key={id} value={id} selected={id === planId}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Asks again for what a reload has lost, the password above all: it must be the one of the sign-up. */
function CodeStep(props: {
  email: string | undefined;
  password: string | undefined;
  minutes: number | undefined;
  onBack: () => void;
  onDone: () => void;
}) {
  const [typed, setTyped] = useState("");
  const email = props.email ?? typed.trim();
  const [wait, restart] = useCountdown(RESEND_AFTER_S);
  const [resent, setResent] = useState(false);
  const [confirmed, setConfirmed] = useState(false);
  const action = useAction();
  const again = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const otp = String(data.get("otp")).replace(/\s/g, "");
    const password = props.password ?? String(data.get("password"));
    action.run(async () => {
      if (!confirmed) await accountApi.verifyCode({ email, otp, password });
      setConfirmed(true);
      await signInWith(email, password);
      props.onDone();
    });
  };
  const resend = () =>
    again.run(async () => {
      await accountApi.resendCode(email);
      setResent(true);
      restart();
    });
  if (confirmed && action.error !== undefined)
    return (
      <Entrance title={t("signUp.done")}>
        <p class="mb-4">{t("signUp.doneHint")}</p>
        <a class="btn btn-primary w-full" href="/">
          {t("setup.toSignIn")}
        </a>
      </Entrance>
    );
  return (
    <Entrance title={t("signUp.codeTitle")}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        {props.email !== undefined && props.minutes !== undefined ? (
          <p class="break-words">{t("signUp.codeHint", { email, minutes: props.minutes })}</p>
        ) : (
          <Field label={t("setup.email")}>
            <input
              class="input w-full"
              name="email"
              type="email"
              autocomplete="username"
              required
              maxLength={254}
              value={typed}
              onInput={(e) => setTyped(e.currentTarget.value)}
            />
          </Field>
        )}
        <Field label={t("signUp.code")}>
          <input
            class="input reading w-full text-lg tracking-[0.3em]"
            name="otp"
            inputMode="numeric"
            autocomplete="one-time-code"
            required
            pattern="\s*[0-9]{3}\s*[0-9]{3}\s*"
            maxLength={9}
            autofocus
          />
        </Field>
        {props.password === undefined && (
          <Field label={t("setup.password")} hint={t("signUp.passwordHint")}>
            <input
              class="input w-full"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              maxLength={256}
            />
          </Field>
        )}
        {action.error !== undefined && <ErrorNote error={action.error} />}
        {again.error !== undefined && <ErrorNote error={again.error} />}
        {resent && again.error === undefined && <p role="status">{t("signUp.resent")}</p>}
        <SubmitButton busy={action.busy}>{t("signUp.confirm")}</SubmitButton>
        <div class="flex flex-wrap justify-between gap-2">
          <button type="button" class="btn btn-ghost btn-sm" onClick={props.onBack}>
            {t("signUp.back")}
          </button>
          <button
            type="button"
            class="btn btn-sm"
            disabled={wait > 0 || again.busy || email === ""}
            onClick={resend}
          >
            {wait > 0 ? t("signUp.resendIn", { seconds: wait }) : t("signUp.resend")}
          </button>
        </div>
      </form>
    </Entrance>
  );
}
