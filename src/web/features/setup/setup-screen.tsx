import { Factory, Plug } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { submittedFields } from "../../lib/submitted-fields.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { token } from "../../platform/session.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Entrance } from "../../ui/page/entrance.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { isMissing, Loaded } from "../../ui/page/loaded.tsx";
import { useDemoPlant } from "../demo-plant/demo-plant.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { TenantNameField } from "../sign-in/onboarding-screen.tsx";
import { PersonFields } from "../sign-in/person-fields.tsx";
import { signInWith } from "../sign-in/sign-in-with.ts";
import { RestoreForm } from "./restore-form.tsx";
import { type OwnerForm, setupApi } from "./setup-api.ts";

async function createOwner(form: OwnerForm): Promise<void> {
  await setupApi.createOwner(form);
  await signInWith(form.email, form.password);
}

export function SetupScreen() {
  const setupToken = useLocation().query.token ?? "";
  const [isDone, setDone] = useState(false);
  const [isRestored, setRestored] = useState(false);
  const [isRestoring, setRestoring] = useState(false);
  const state = useResource(() => setupApi.state(setupToken), [setupToken]);
  if (isDone) return <NextStep />;
  if (isRestored) return <Restored />;
  if (isMissing(state.error)) return token.value === undefined ? <LinkExpired /> : <SetUpAlready />;
  return (
    <Entrance title={t(isRestoring ? "setup.restore" : "setup.title")}>
      <Loaded of={state}>
        {() =>
          isRestoring ? (
            <RestoreForm
              setupToken={setupToken}
              onDone={() => setRestored(true)}
              onBack={() => setRestoring(false)}
            />
          ) : (
            <OwnerFields
              setupToken={setupToken}
              onDone={() => setDone(true)}
              onRestore={() => setRestoring(true)}
            />
          )
        }
      </Loaded>
    </Entrance>
  );
}

/** Shown when the owner returns to the used link, by a reload or the back button. */
function SetUpAlready() {
  const { route } = useLocation();
  useEffect(() => route("/", true), []);
  return null;
}

function LinkExpired() {
  return (
    <Entrance title={t("setup.expired")}>
      <p class="mb-3">{t("setup.expiredHint")}</p>
      <div class="mb-4 flex items-center justify-between gap-3 rounded-field bg-base-200 py-2 pr-2 pl-3">
        <code class="reading text-sm">lineside setup-link</code>
        <CopyButton text="lineside setup-link" label={t("setup.copyCommand")} />
      </div>
      <a class="btn btn-primary w-full" href="/">
        {t("setup.toSignIn")}
      </a>
    </Entrance>
  );
}

function Restored() {
  return (
    <Entrance title={t("setup.restored")}>
      <p class="mb-4">{t("setup.restoredHint")}</p>
      <a class="btn btn-primary w-full" href="/">
        {t("setup.toSignIn")}
      </a>
    </Entrance>
  );
}

function OwnerFields(props: { setupToken: string; onDone: () => void; onRestore: () => void }) {
  const { setupToken, onDone, onRestore } = props;
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    const field = submittedFields(e);
    const text = (name: string) => field(name).trim();
    const form = {
      token: setupToken,
      email: text("email"),
      password: field("password"),
      fullName: text("fullName"),
      tenantName: text("tenantName"),
    };
    action.run(async () => {
      await createOwner(form);
      onDone();
    });
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <p class="text-soft">{t("setup.intro")}</p>
      <PersonFields />
      <TenantNameField />
      <ErrorNote error={action.error} />
      <SubmitButton busy={action.busy}>{t("setup.create")}</SubmitButton>
      <button type="button" class="btn btn-ghost" disabled={action.busy} onClick={onRestore}>
        {t("setup.restore")}
      </button>
    </form>
  );
}

function NextStep() {
  const { route } = useLocation();
  const demo = useDemoPlant();
  const action = useAction();
  const connect = () =>
    action.run(async () => {
      const device = await devicesApi.create({ name: t("setup.firstDevice"), deviceType: "sensor" });
      route(`/devices/${device.deviceId}/connect`, true);
    });
  if (token.value === undefined) return null;
  return (
    <Entrance title={t("setup.ready")}>
      <p class="mb-4 text-soft">{t("setup.readyHint")}</p>
      <div class="flex flex-col gap-3">
        <button
          type="button"
          class="btn btn-primary h-auto justify-start gap-4 py-3 text-left"
          onClick={connect}
          disabled={action.busy}
        >
          <Plug size={22} class="flex-none" aria-hidden="true" />
          <span>
            <span class="block">{t("setup.connect")}</span>
            <span class="block text-sm font-normal">{t("setup.connectHint")}</span>
          </span>
        </button>
        <button
          type="button"
          class="btn h-auto justify-start gap-4 py-3 text-left"
          onClick={demo.start}
          disabled={demo.busy}
        >
          <Factory size={22} class="flex-none" aria-hidden="true" />
          <span>
            <span class="block">{t("setup.demo")}</span>
            <span class="block text-sm font-normal">{t("setup.demoHint")}</span>
          </span>
        </button>
        <ErrorNote error={demo.error} />
        <ErrorNote error={action.error} />
        <a class="btn btn-ghost" href="/">
          {t("setup.skip")}
        </a>
      </div>
    </Entrance>
  );
}
