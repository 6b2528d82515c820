import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { submittedFields } from "../../lib/submitted-fields.ts";
import { ApiError } from "../../platform/api-client.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { useResource } from "../../platform/resource.ts";
import { token } from "../../platform/session.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Entrance } from "../../ui/page/entrance.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PersonFields } from "./person-fields.tsx";
import { type Plan, type SignUpForm, signUpApi } from "./sign-up-api.ts";
import { CodeStep } from "./sign-up-code-step.tsx";

/** State of a sign-up that waits for its code, to continue after a reload. It never contains the password. */
interface SignUpStep {
  readonly email?: string;
  /** Minutes for which the code is valid. */
  readonly minutes?: number;
}

const KEY = "lineside.signUp";
const tab = () => sessionStorage;

const keepSignUp = (step: SignUpStep): void => writeStored(KEY, JSON.stringify(step), tab);
const forgetSignUp = (): void => writeStored(KEY, undefined, tab);

function keptSignUp(): SignUpStep | undefined {
  const text = readStored(KEY, tab);
  if (!text) return undefined;
  try {
    const { email, minutes } = JSON.parse(text);
    return typeof email === "string" && typeof minutes === "number" ? { email, minutes } : undefined;
  } catch {
    return undefined;
  }
}

const isClosed = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

/** Sign-up of new users, if it is open: details, then the code from the e-mail. The name of the site follows. */
export function SignUpScreen() {
  const { route } = useLocation();
  const [form, setForm] = useState<SignUpForm | undefined>(undefined);
  /** The code step, from when the code was sent or the user selected "I have a code". */
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
  const plans = useResource(signUpApi.plans, []);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    const field = submittedFields(e);
    const text = (name: string) => field(name).trim();
    const form: SignUpForm = {
      fullName: text("fullName"),
      email: text("email"),
      password: field("password"),
      planId: text("planId"),
    };
    action.run(async () => {
      try {
        props.onSent(form, (await signUpApi.signUp(form)).expiresInSeconds);
      } catch (error) {
        if (!isClosed(error)) throw error;
        props.onClosed();
      }
    });
  };
  return (
    <Entrance title={t("signUp.title")}>
      <Loaded of={plans}>
        {(offered) => (
          <form class="flex flex-col gap-4" onSubmit={submit}>
            <p class="text-soft">{t("signUp.intro")}</p>
            <PersonFields given={props.given} />
            <PlanChoice plans={offered} selected={props.given?.planId} />
            <ErrorNote error={action.error} />
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
      </Loaded>
    </Entrance>
  );
}

function PlanChoice({ plans, selected }: { plans: readonly Plan[]; selected: string | undefined }) {
  const [planId, setPlanId] = useState(selected ?? plans[0]?.id);
  const plan = plans.find(({ id }) => id === planId);
  return (
    <SelectField
      label={t("signUp.plan")}
      hint={plan && limitsText(plan)}
      name="planId"
      required
      value={planId}
      options={plans.map(({ id, name }) => [id, name] as const)}
      onSelect={setPlanId}
    />
  );
}
