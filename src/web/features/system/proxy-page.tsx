import { CircleCheck, Eye, RefreshCw, TriangleAlert } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import {
  formOf,
  inputOf,
  type ProxyForm,
  type ProxySettings,
  type ProxyTestResult,
  proxyApi,
} from "./proxy-api.ts";

const POLL_MS = 2_000;

/** Public address and reverse proxies of the gateway, for its operators. */
export function ProxyPage() {
  const resource = useKept(proxyApi.get, []);
  const [isRestarting, setRestarting] = useState(false);
  useRefresh(resource.reload, isRestarting ? POLL_MS : undefined);
  const isBack = isRestarting && resource.error === undefined && resource.data?.needsRestart === false;
  useEffect(() => {
    if (!isBack) return;
    setRestarting(false);
    toast("success", t("proxy.restarted"));
  }, [isBack]);
  return (
    <div class="flex max-w-3xl flex-col gap-4">
      <BackLink href="/settings/system">{t("page.system")}</BackLink>
      <Loaded of={{ ...resource, error: isRestarting ? undefined : resource.error }}>
        {(settings) => (
          <>
            <SettingsForm settings={settings} onSaved={resource.set} />
            {settings.needsRestart && (
              <Restart isRestarting={isRestarting} onRestart={() => setRestarting(true)} />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function SettingsForm({
  settings,
  onSaved,
}: {
  settings: ProxySettings;
  onSaved: (settings: ProxySettings) => void;
}) {
  const [form, setForm] = useState(() => formOf(settings));
  const saving = useAction();
  const { fixed } = settings;
  const change = (changes: Partial<ProxyForm>) => setForm({ ...form, ...changes });
  const submit = (e: Event) => {
    e.preventDefault();
    saving.run(async () => {
      const saved = await proxyApi.save(inputOf(form, settings));
      setForm(formOf(saved));
      onSaved(saved);
      toast("success", t("proxy.saved"));
    });
  };
  return (
    <>
      <Section id="proxy-settings" title={t("proxy.title")}>
        <form class="flex flex-col gap-4" onSubmit={submit}>
          <p class="text-soft">{t("proxy.intro")}</p>
          {fixed.map((key) => (
            <p key={key} class="panel border-l-4 border-l-info p-4">
              {t("proxy.fixed", { key, variable: `LINESIDE_${key.toUpperCase()}` })}
            </p>
          ))}
          <TextField
            label={t("proxy.publicUrl")}
            hint={t("proxy.publicUrlHint")}
            type="url"
            value={form.publicUrl}
            placeholder="https://plant.example/lineside"
            disabled={fixed.includes("public_url")}
            onText={(publicUrl) => change({ publicUrl: publicUrl.trim() })}
          />
          <TextField
            label={t("proxy.trusted")}
            hint={t("proxy.trustedHint")}
            value={form.trustedProxies}
            placeholder="127.0.0.1, 10.0.5.0/24"
            disabled={fixed.includes("trusted_proxies")}
            onText={(trustedProxies) => change({ trustedProxies })}
          />
          <ErrorNote error={saving.error} />
          {fixed.length < 2 && (
            <div>
              <SubmitButton busy={saving.busy}>{t("common.save")}</SubmitButton>
            </div>
          )}
        </form>
      </Section>
      <ProxyTest form={form} settings={settings} />
    </>
  );
}

function Restart({ isRestarting, onRestart }: { isRestarting: boolean; onRestart: () => void }) {
  const action = useAction();
  const restart = () =>
    action.run(async () => {
      await proxyApi.restart();
      onRestart();
    });
  return (
    <div class="panel flex flex-col gap-3 border-l-4 border-l-warning p-4" role="status">
      <p>{t(isRestarting ? "proxy.restarting" : "proxy.needsRestart")}</p>
      <ErrorNote error={action.error} />
      {!isRestarting && (
        <div>
          <Button icon={RefreshCw} size={14} disabled={action.busy} onClick={restart}>
            {t("proxy.restart")}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Test of the proxy settings as entered: the gateway's view of a request of this browser. */
function ProxyTest({ form, settings }: { form: ProxyForm; settings: ProxySettings }) {
  const action = useAction();
  const [result, setResult] = useState<ProxyTestResult>();
  const test = () => {
    setResult(undefined);
    action.run(async () => setResult(await proxyApi.test(inputOf(form, settings))));
  };
  return (
    <Section id="proxy-test" title={t("common.test")} hint={t("proxy.testHint")}>
      <ErrorNote error={action.error} />
      {result && <Seen result={result} />}
      <div>
        <Button icon={Eye} size={14} disabled={action.busy} onClick={test}>
          {t("proxy.testRun")}
        </Button>
      </div>
    </Section>
  );
}

function Seen({ result }: { result: ProxyTestResult }) {
  const { peer, isTrusted, address, protocol, host, headers, problems } = result;
  const rows: ReadonlyArray<[string, string]> = [
    [t("proxy.seen.address"), address],
    [t("proxy.seen.protocol"), protocol],
    [t("common.host"), host],
    [t("proxy.seen.peer"), `${peer} (${t(isTrusted ? "proxy.isTrusted" : "proxy.isNotTrusted")})`],
    ...Object.entries(headers),
  ];
  return (
    <div class="flex flex-col gap-3" role="status">
      <dl class="grid gap-x-4 gap-y-1 sm:grid-cols-[12rem_minmax(0,1fr)]">
        {rows.map(([name, value]) => (
          <div key={name} class="contents">
            <dt class="text-soft">{name}</dt>
            <dd class="reading wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {problems.map((problem) => (
        <p key={problem.code} class="flex items-start gap-2 wrap-anywhere">
          <TriangleAlert size={18} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
          {serverText(problem, problem.message)}
        </p>
      ))}
      {problems.length === 0 && (
        <p class="flex items-center gap-2">
          <CircleCheck size={18} class="flex-none text-success" aria-hidden="true" />
          {t("proxy.testOk")}
        </p>
      )}
    </div>
  );
}
