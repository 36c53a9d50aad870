import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.getunleash.DefaultUnleash;
import io.getunleash.Unleash;
import io.getunleash.UnleashContext;
import io.getunleash.util.UnleashConfig;
import io.getunleash.variant.Variant;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks unleash-client-java, unmodified: one context a line in, one line of answers out. */
public class Client {
  static class Asked {
    List<String> names;
    Context context;
  }

  static class Context {
    String userId;
    String sessionId;
    String remoteAddress;
    String appName;
    String environment;
    String currentTime;
    Map<String, String> properties;

    UnleashContext ours() {
      UnleashContext.Builder builder =
          UnleashContext.builder()
              .userId(userId)
              .sessionId(sessionId)
              .remoteAddress(remoteAddress)
              .appName(appName)
              .environment(environment);
      if (currentTime != null) builder.currentTime(ZonedDateTime.parse(currentTime));
      if (properties != null) properties.forEach(builder::addProperty);
      return builder.build();
    }
  }

  public static void main(String[] given) throws Exception {
    UnleashConfig.Builder config =
        UnleashConfig.builder()
            .unleashAPI(given[0])
            .apiKey(given[1])
            .appName(given[3])
            .backupFile(Path.of(given[2], given[3] + ".json").toString())
            .fetchTogglesInterval(1)
            .sendMetricsInterval(1)
            .synchronousFetchOnInitialisation(true);
    if (given[4].equals("streaming")) config.experimentalStreamingMode();
    Unleash unleash = new DefaultUnleash(config.build());
    Gson gson = new GsonBuilder().serializeNulls().create();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Asked asked = gson.fromJson(line, Asked.class);
      UnleashContext context = asked.context.ours();
      Map<String, String> answers = new LinkedHashMap<>();
      for (String name : asked.names) {
        if (!unleash.isEnabled(name, context)) continue;
        Variant variant = unleash.getVariant(name, context);
        answers.put(name, variant.isEnabled() ? variant.getName() : null);
      }
      System.out.println(gson.toJson(answers));
    }
  }
}
