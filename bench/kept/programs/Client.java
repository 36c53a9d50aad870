import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Callers in Java. Arguments: `client` (java.net.http.HttpClient) or `connection` (HttpURLConnection, which Unleash's SDK uses), requests, pause from, pause
 * to (ms), token, body of a POST, addresses. Prints: requests, failed GETs, failed POSTs, and the first failure.
 */
public class Client {
  private static int requests;
  private static int failedGets;
  private static int failedPosts;
  private static String first = "";
  private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static int byClient(String url, boolean isGet, String token, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url + path(isGet)));
    request.header("authorization", token).header("content-type", "application/json");
    if (!isGet) request.POST(HttpRequest.BodyPublishers.ofString(body));
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray()).statusCode();
  }

  private static int byConnection(String url, boolean isGet, String token, String body) throws Exception {
    var connection = (HttpURLConnection) URI.create(url + path(isGet)).toURL().openConnection();
    connection.setRequestProperty("authorization", token);
    connection.setRequestProperty("content-type", "application/json");
    if (!isGet) {
      connection.setRequestMethod("POST");
      connection.setDoOutput(true);
      try (var output = connection.getOutputStream()) {
        output.write(body.getBytes());
      }
    }
    int status = connection.getResponseCode();
    InputStream answer = status < 400 ? connection.getInputStream() : connection.getErrorStream();
    if (answer != null) answer.readAllBytes();
    return status;
  }

  private static String path(boolean isGet) {
    return isGet ? "/api/client/features" : "/api/client/metrics";
  }

  private static synchronized void note(boolean isGet, String failure) {
    requests++;
    if (failure == null) return;
    if (isGet) failedGets++;
    else failedPosts++;
    if (first.isEmpty()) first = failure;
  }

  public static void main(String[] args) throws Exception {
    boolean isClient = args[0].equals("client");
    int count = Integer.parseInt(args[1]);
    int from = Integer.parseInt(args[2]);
    int to = Integer.parseInt(args[3]);
    List<Thread> threads = new ArrayList<>();
    for (int at = 6; at < args.length; at++) {
      int index = at - 6;
      String url = args[at];
      Thread thread = new Thread(null, () -> {
        try {
          Thread.sleep(1000L * index / (args.length - 6));
          for (int number = 0; number < count; number++) {
            if (number > 0) Thread.sleep(ThreadLocalRandom.current().nextInt(from, to + 1));
            boolean isGet = (number + index) % 2 == 0;
            String failure = null;
            try {
              int status = isClient ? byClient(url, isGet, args[4], args[5]) : byConnection(url, isGet, args[4], args[5]);
              if (status >= 300) failure = "status " + status;
            } catch (Exception error) {
              failure = error.toString();
            }
            note(isGet, failure);
          }
        } catch (InterruptedException error) {
          throw new IllegalStateException(error);
        }
      }, "caller", 256 * 1024);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) thread.join();
    System.out.println(requests + " " + failedGets + " " + failedPosts + " " + first.replace("\n", " "));
    System.exit(0);
  }
}
