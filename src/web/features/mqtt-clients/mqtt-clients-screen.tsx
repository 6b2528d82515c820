import { useLocation, useRoute } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { Page } from "../../ui/page/page.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { Tabs } from "../../ui/page/tabs.tsx";
import { ClientFormPage, EditClientPage } from "./client-form-page.tsx";
import { ClientList } from "./client-list.tsx";
import { TopicsPanel } from "./topics-panel.tsx";

/** Screen with the MQTT clients and, in a second tab, their topics; or the form of one client. */
export function MqttClientsScreen() {
  const { mqttTab, mqttClientId } = useRoute().params;
  const isTopics = mqttTab === "topics";
  const search = useLocation().query.search ?? "";
  const tabs = (
    <Tabs
      label={t("nav.mqttClients")}
      current={isTopics ? "topics" : "clients"}
      items={[
        { id: "clients", text: t("mqttClients.tabClients"), href: "/mqtt-clients" },
        { id: "topics", text: t("mqttClients.tabTopics"), href: "/mqtt-clients/topics" },
      ]}
    />
  );
  if (mqttClientId)
    return (
      <Page>
        {mqttClientId === "new" ? (
          <ClientFormPage />
        ) : (
          <EditClientPage key={mqttClientId} mqttClientId={mqttClientId} />
        )}
      </Page>
    );
  return (
    <Page>
      {isTopics ? (
        <>
          <PageHead title={t("nav.mqttClients")} />
          {tabs}
          <TopicsPanel />
        </>
      ) : (
        <ClientList search={search} tabs={tabs} />
      )}
    </Page>
  );
}
