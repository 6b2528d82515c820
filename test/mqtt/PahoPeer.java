import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttMessage;

/** A device built on Paho for Java: subscribes, sends, answers a command, and prints what it hears, one JSON object a line. */
public class PahoPeer {
  private static final String DEVICE = "v1/devices/me/";

  public static void main(String[] args) throws Exception {
    MqttClient client = new MqttClient("tcp://127.0.0.1:" + args[0], MqttClient.generateClientId(), null);
    MqttConnectOptions options = new MqttConnectOptions();
    options.setUserName(args[1]);
    client.setCallback(new Callback(client));
    client.connect(options);
    client.subscribe(DEVICE + "rpc/request/+", 1);
    client.subscribe(DEVICE + "attributes/response/+", 1);
    client.publish(DEVICE + "telemetry", "{\"new\":2}".getBytes(), 2, false);
    client.publish(DEVICE + "attributes/request/1", "{\"sharedKeys\":\"interval\"}".getBytes(), 1, false);
  }

  private record Callback(MqttClient client) implements MqttCallback {
    @Override
    public void connectionLost(Throwable reason) {
      System.exit(1);
    }

    @Override
    public void deliveryComplete(IMqttDeliveryToken token) {}

    @Override
    public void messageArrived(String topic, MqttMessage message) {
      System.out.println("{\"topic\":\"" + topic + "\",\"body\":" + message + "}");
      if (topic.contains("rpc/request/")) new Thread(() -> answer(topic.replace("request", "response"))).start();
    }

    private void answer(String topic) {
      try {
        client.publish(topic, "ok".getBytes(), 1, false);
      } catch (Exception error) {
        System.exit(2);
      }
    }
  }
}
