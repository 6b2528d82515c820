/** What else went wrong, and what to do about errors whose text does not say it. */
export const faultTexts = {
  "fault.mqtt_packet_too_large": "A packet of {bytes} bytes is larger than the {max} bytes allowed.",
  "fault.mqtt_packet_malformed": "The client sent an invalid MQTT packet ({error}).",
  "fault.mqtt_taken_over":
    "Several clients use this client id, or the network often breaks: connections with it ended each other {count} times within {minutes} minutes.",
  "fault.mqtt_messages_dropped": "Messages for this client were dropped because its queue is full.",
  "fault.readings_held": "Readings are more than a day ahead of the gateway's clock and wait for it.",
  "fault.import_failed": "An import refused {failed} of its rows; row {row}: {reason}",
  "fault.delivery_dead": "A request to another server was given up: {reason}",
  "fault.uplink_stalled": "The uplink cannot send: {reason}",
  "fault.integration_disconnected": "The connection of the integration failed: {reason}",
  "fault.delivery_retried":
    "A request to another server failed and is retried for up to {hours} hours: {reason}",
  "fault.delivery_dropped": "Requests that waited for another server were dropped: {reason}",
  "fault.uplink_refused": "The target of the uplink refuses the oldest batch: {reason}",
  "fault.devices_not_imported": "A device list was not imported: {reason}",
  "fault.devices_partly_imported":
    "A device list was imported without {failed} of its rows ({created} created): {reason}",
  "fault.modbus_disconnected": "The Modbus connection failed: {reason}",
  "fault.modbus_read_failed": "The device could not be read over Modbus: {reason}",
  "fault.job_failed": "The job failed: {reason}",
  "fault.job_skipped": "The job did nothing: {reason}",
  "fault.mail_failed": "A mail could not be delivered: {reason}",
  "fault.mail_retried": "Mails could not be sent; the gateway retries for a day: {reason}",
  "fault.unknown": "the reason is not known",
  "fault_hint.fault.mqtt_packet_too_large": "Split the message, or raise the setting mqtt_packet_bytes_max.",
  "fault_hint.fault.mqtt_packet_malformed":
    "Check that the program speaks MQTT on this port, with or without TLS as the port expects, and that names and topics are UTF-8.",
  "fault_hint.fault.mqtt_taken_over":
    "Give each client its own client id. If only one client uses it, check the client's network.",
  "fault_hint.fault.mqtt_messages_dropped":
    "Make the client read faster or connect more often, or subscribe to fewer topics.",
  "fault_hint.fault.readings_held":
    "Correct the clock of the gateway or of the device. The device's Messages tab can store or delete the readings.",
  "fault_hint.fault.import_failed":
    "Correct the refused rows and import the file again: rows that were stored do not change.",
  "fault_hint.fault.delivery_dead":
    "Correct the address or the receiver, then replay the dead letters on the page of the pipeline.",
  "fault_hint.fault.uplink_stalled":
    "Test the connection on the page of the uplink. The uplink sends what is missing once the target can be reached.",
  "fault_hint.fault.integration_disconnected":
    "Check address, port and credentials on the page of the integration.",
  "fault_hint.topic.forbidden": "Add the topic to what the MQTT client may publish, or correct the topic.",
  "fault_hint.fault.uplink_refused": "Correct the target, or skip the batch on the page of the uplink.",
  "fault_hint.fault.delivery_retried": "Check the address and the receiver.",
  "fault_hint.fault.delivery_dropped":
    "Correct the receiver: more requests wait for it than the gateway keeps.",
  "fault_hint.body.malformed":
    "Compare the sample with what the device should send, and with the encoding in its device profile.",
  "fault_hint.device.messages_limit":
    "Send less often, or raise the messages per second of the device profile.",
  "fault_hint.plan.messages_limit": "Send less often, or move the site to a larger plan.",
  "fault_hint.gateway.child_not_created":
    "Create the child device yourself, or let the device profile of the gateway create children.",
  "fault_hint.fault.devices_not_imported": "Correct the file and import it again.",
  "fault_hint.fault.devices_partly_imported": "Correct the refused rows and import only those.",
  "fault_hint.fault.modbus_disconnected": "Check the address, port, cabling and power supply.",
  "fault_hint.fault.modbus_read_failed": "Check the unit's address, registers and wiring.",
  "fault_hint.fault.job_failed": "The job's page lists what failed on which device.",
  "fault_hint.fault.job_skipped": "Check the job's devices, and how it makes up for missed times.",
  "fault_hint.fault.mail_failed":
    "Correct the address or the mail server, then send the mail again under Settings → Outbox.",
  "fault_hint.fault.mail_retried":
    "Check the mail server under Settings → Outbox → Mail server, or the setting smtp_url.",
  "fault_hint.body.type_missing": "Send the header content-type: application/json.",
  "fault_hint.body.type_unknown": "Send the header content-type: application/json.",
  "fault_hint.telemetry.body_invalid":
    "Send a JSON object with one value per key. The device's Connect tab shows an example.",
  "fault_hint.telemetry.ts_invalid": "Correct the time in ts, or omit ts to use the time of receipt.",
  "fault_hint.subscription.forbidden":
    "Allow the MQTT client to subscribe to this topic, or correct the topic.",
  "fault_hint.script.error": "Correct the script of the integration.",
} as const;
