import { ShieldCheck, ShieldOff } from "lucide-preact";
import { useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Copyable, ShownOnce } from "../../ui/shown-once.tsx";
import type { NewSecondFactor, SecurityStatus } from "./account-api.ts";
import { accountApi } from "./account-api.ts";

type Asking = "on" | "off" | "codes";

/** Enables and disables the second factor. Both start with the password. */
export function SecondFactor({ status, onChanged }: { status: SecurityStatus; onChanged: () => void }) {
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const isOn = status.hasSecondFactor;
  const Icon = isOn ? ShieldCheck : ShieldOff;
  const close = () => {
    setAsking(undefined);
    onChanged();
  };
  return (
    <Section id="security-factor" title={t("security.factor")} hint={t("security.factorHint")}>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <p class="flex items-center gap-2.5" data-testid="second-factor">
          <Icon size={18} class={isOn ? "text-success" : "text-soft"} aria-hidden="true" />
          <span>
            {isOn ? t("security.factorOn") : t("security.factorOff")}
            {isOn && (
              <span class="block text-sm text-soft">
                {plural("security.codesLeft", status.recoveryCodesLeft)}
              </span>
            )}
          </span>
        </p>
        <div class="flex flex-wrap gap-2">
          {isOn && (
            <button type="button" class="btn btn-sm" onClick={() => setAsking("codes")}>
              {t("security.newCodes")}
            </button>
          )}
          <button
            type="button"
            class={`btn btn-sm ${isOn ? "btn-outline btn-error" : "btn-primary"}`}
            onClick={() => setAsking(isOn ? "off" : "on")}
          >
            {isOn ? t("security.turnOff") : t("common.enable")}
          </button>
        </div>
      </div>
      {asking === "on" && <TurnOn onClose={close} />}
      {asking === "off" && <TurnOff onClose={close} />}
      {asking === "codes" && <RenewCodes onClose={close} />}
    </Section>
  );
}

/** Asks for the password and passes it on. */
function PasswordStep(props: {
  hint?: string;
  button: string;
  danger?: boolean;
  onGiven: (password: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const action = useAction(["password"]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const password = String(new FormData(e.currentTarget).get("password"));
    action.run(() => props.onGiven(password));
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      {props.hint !== undefined && <p>{props.hint}</p>}
      <TextField
        label={t("security.askPassword")}
        error={action.errorOf("password")}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus
      />
      <ErrorNote error={action.error} />
      <div class="flex justify-end gap-2">
        <button type="button" class="btn btn-ghost" onClick={props.onClose}>
          {t("common.cancel")}
        </button>
        <button
          type="submit"
          class={`btn ${props.danger ? "btn-error" : "btn-primary"}`}
          disabled={action.busy}
        >
          {props.button}
        </button>
      </div>
    </form>
  );
}

function TurnOn({ onClose }: { onClose: () => void }) {
  const [factor, setFactor] = useState<NewSecondFactor | undefined>(undefined);
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined);
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog key="on" title={t("security.factor")} onClose={onClose} firm={factor !== undefined}>
      {factor ? (
        <ScanStep factor={factor} onDone={setCodes} onClose={onClose} />
      ) : (
        <PasswordStep
          button={t("setup.continue")}
          onGiven={async (password) => setFactor(await accountApi.beginSecondFactor(password))}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

function ScanStep(props: {
  factor: NewSecondFactor;
  onDone: (codes: readonly string[]) => void;
  onClose: () => void;
}) {
  const { secret, qrSvg } = props.factor;
  const action = useAction(["code"]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const code = String(new FormData(e.currentTarget).get("code")).replace(/\s/g, "");
    action.run(async () => props.onDone((await accountApi.confirmSecondFactor(code)).recoveryCodes));
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <p>{t("security.scan")}</p>
      <img
        class="mx-auto w-56 max-w-full rounded-field bg-white p-2"
        src={`data:image/svg+xml,${encodeURIComponent(qrSvg)}`}
        alt={t("security.qr")}
      />
      <div class="flex flex-col gap-2 rounded-field bg-base-200 p-3">
        <div class="flex items-center justify-between gap-3">
          <span class="panel-label">{t("security.secret")}</span>
          <CopyButton text={secret} label={t("common.copyKey")} />
        </div>
        <code class="reading text-sm break-all" data-testid="factor-secret">
          {secret}
        </code>
      </div>
      <TextField
        label={t("security.code")}
        error={action.errorOf("code")}
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        required
        pattern="\s*[0-9]{3}\s*[0-9]{3}\s*"
        maxLength={9}
        class="input reading w-full text-lg tracking-[0.3em]"
      />
      <ErrorNote error={action.error} />
      <div class="flex justify-end gap-2">
        <button type="button" class="btn btn-ghost" onClick={props.onClose}>
          {t("common.cancel")}
        </button>
        <SubmitButton busy={action.busy}>{t("common.enable")}</SubmitButton>
      </div>
    </form>
  );
}

function TurnOff({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("security.turnOff")} onClose={onClose}>
      <PasswordStep
        button={t("security.turnOff")}
        danger
        onGiven={async (password) => {
          await accountApi.endSecondFactor(password);
          toast("success", t("security.turnedOff"));
          onClose();
        }}
        onClose={onClose}
      />
    </Dialog>
  );
}

function RenewCodes({ onClose }: { onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | undefined>(undefined);
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog key="renew" title={t("security.newCodes")} onClose={onClose}>
      <PasswordStep
        hint={t("security.newCodesHint")}
        button={t("setup.continue")}
        onGiven={async (password) => setCodes((await accountApi.renewRecoveryCodes(password)).recoveryCodes)}
        onClose={onClose}
      />
    </Dialog>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <ShownOnce
      title={t("security.codesTitle")}
      note={t("security.codesOnce")}
      doneText={t("security.codesDone")}
      onClose={onClose}
      testId="recovery-codes"
    >
      <Copyable name={t("security.codesTitle")} text={codes.join("\n")} copyText={t("security.copyCodes")} />
    </ShownOnce>
  );
}
