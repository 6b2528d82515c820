import { CircleCheck, Eye, RefreshCw, TriangleAlert } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import type { FormValues } from "../../lib/form-schema.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { FixedKeys } from "../../ui/form/fixed-keys.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import type { ProxySettingsInput } from "./proxy-api.ts";
import { type ProxySettings, type ProxyTestResult, proxyApi } from "./proxy-api.ts";
import { keyOf, proxyForm } from "./proxy-form.ts";

const POLL_MS = 2_000;

/** Public address and reverse proxies of the gateway, for operators. */
export function ProxyPage() {
  const resource = useKept(proxyApi.get, []);
  const [isRestarting, setRestarting] = useState(false);
  useRefresh(resource.reload, isRestarting ? POLL_MS : undefined);
  const isBack = isRestarting && resource.data?.needsRestart === false;
  useEffect(() => {
    if (!isBack) return;
    setRestarting(false);
    toast("success", t("proxy.restarted"));
  }, [isBack]);
  return (
    <div class="flex max-w-3xl flex-col gap-4">
      <Trail steps={[{ href: "/settings/system", text: t("page.system") }]} />
      <Loaded of={resource} ignoresErrors={isRestarting}>
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

function SettingsForm(props: { settings: ProxySettings; onSaved: (settings: ProxySettings) => void }) {
  const { fixed, publicUrl, trustedProxies } = props.settings;
  const form = useSchemaForm(proxyForm, { publicUrl, trustedProxies });
  const isFixed = (path: string) => fixed.includes(keyOf(path));
  const input = (body: FormValues): ProxySettingsInput =>
    Object.fromEntries(Object.entries(body).filter(([path]) => !isFixed(path)));
  const submit = () =>
    form.send(async (body) => {
      props.onSaved(await proxyApi.save(input(body)));
      toast("success", t("proxy.saved"));
    });
  return (
    <>
      <Section id="proxy-settings" title={t("system.openProxy")}>
        <SectionForm {...form.dialog} onSubmit={submit} isFixed={fixed.length >= 2}>
          <p class="text-soft">{t("proxy.intro")}</p>
          <FixedKeys keys={fixed} />
          <SchemaFields form={proxyForm} {...form.state} isDisabled={isFixed} />
        </SectionForm>
      </Section>
      <ProxyTest input={() => input(form.body())} />
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

/** Tests the entered proxy settings: shows how the gateway sees a request from this browser. */
function ProxyTest({ input }: { input: () => ProxySettingsInput }) {
  const action = useAction();
  const [result, setResult] = useState<ProxyTestResult>();
  const test = () => {
    setResult(undefined);
    action.run(async () => setResult(await proxyApi.test(input())));
  };
  return (
    <Section id="proxy-test" title={t("common.test")} hint={t("proxy.testHint")}>
      <ErrorNote error={action.error} />
      {result && <Seen result={result} />}
      <div class="flex justify-end">
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
