import { useState } from "preact/hooks";
import { formatBytes, formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { me } from "../../platform/session.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Segments } from "../../ui/form/segments.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { type TopTalker, TRAFFIC_MEASURES, type TrafficMeasure, talkersApi } from "./talkers-api.ts";

const SHOWN_MAX = 10;
const REFRESH_MS = 15_000;

/** The devices that sent the most in the last hour. */
export function TalkersSection() {
  const [by, setBy] = useState<TrafficMeasure>("messages");
  const page = useKept(() => talkersApi.list(by, SHOWN_MAX), [by]);
  useRefresh(page.reload, REFRESH_MS);
  return (
    <Section id="talkers" title={t("talkers.title")} hint={t("talkers.hint")}>
      <Segments
        label={t("talkers.by")}
        items={TRAFFIC_MEASURES.map((id) => ({ id, text: t(`talkers.${id}`) }))}
        current={by}
        onSelect={setBy}
      />
      <Loaded of={page}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="text-soft">{t("talkers.none")}</p>
          ) : (
            <div class="overflow-x-auto">
              <table class="table table-sm" aria-labelledby="talkers">
                <thead class="text-soft">
                  <tr>
                    <th scope="col">{t("talkers.device")}</th>
                    {TRAFFIC_MEASURES.map((id) => (
                      <th key={id} scope="col" class="text-right">
                        {t(`talkers.${id}`)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((talker) => (
                    <Row key={talker.deviceId} talker={talker} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

function Row({ talker }: { talker: TopTalker }) {
  const { deviceId, deviceName, tenantId, tenantName } = talker;
  const isOwn = tenantId === me.value?.tenantId;
  return (
    <tr>
      <th scope="row" class="min-w-40 font-normal wrap-anywhere">
        {deviceName === undefined && t("talkers.deleted")}
        {deviceName !== undefined && isOwn && (
          <a class="link" href={`/devices/${deviceId}/messages`}>
            {deviceName}
          </a>
        )}
        {deviceName !== undefined && !isOwn && `${deviceName} · ${tenantName ?? ""}`}
      </th>
      {TRAFFIC_MEASURES.map((id) => (
        <td key={id} class="reading text-right">
          {id === "bytes" ? formatBytes(talker.bytes) : formatNumber(talker[id])}
        </td>
      ))}
    </tr>
  );
}
