import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.openai.api.OpenAiApi;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.retry.support.RetryTemplate;

/** Spring AI: its model with automatic calls of tools. Cases and outcomes are lines of JSON, as in {@code cases.py}. */
public class WeatherAgent {
  private static final ObjectMapper JSON = new ObjectMapper();

  public record City(String city) {}

  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode given = JSON.readTree(line);
      AtomicInteger calls = new AtomicInteger();
      Map<String, Object> outcome = new LinkedHashMap<>();
      outcome.put("id", given.get("id").asText());
      outcome.put("text", "");
      outcome.put("error", null);
      try {
        outcome.put("text", run(given, calls));
      } catch (Exception raised) {
        outcome.put("error", raised.toString());
      }
      outcome.put("calls", calls.get());
      System.out.println(JSON.writeValueAsString(outcome));
    }
    System.exit(0);
  }

  private static String run(JsonNode given, AtomicInteger calls) {
    // What the model says before a call is not its answer.
    StringBuffer text = new StringBuffer();
    var weather =
        FunctionToolCallback.builder(
                "get_weather",
                (City asked) -> {
                  calls.incrementAndGet();
                  text.setLength(0);
                  return asked.city().equals("Rome") ? "25 degrees" : "20 degrees";
                })
            .description("The weather in a city")
            .inputType(City.class)
            .build();
    var options =
        OpenAiChatOptions.builder()
            .model(given.get("model").asText())
            .toolCallbacks(List.of(weather))
            .httpHeaders(Map.of("x-session-id", given.get("id").asText()))
            .build();
    var api = OpenAiApi.builder().baseUrl(given.get("url").asText()).apiKey("sk-client-test").build();
    var model =
        OpenAiChatModel.builder()
            .openAiApi(api)
            .defaultOptions(options)
            .retryTemplate(RetryTemplate.builder().maxAttempts(1).build())
            .build();
    var prompt = new Prompt(new UserMessage("Is it warmer in Paris or in Rome?"), options);
    if (!given.get("stream").asBoolean()) return textOf(model.call(prompt));
    model.stream(prompt).doOnNext(part -> text.append(textOf(part))).blockLast();
    return text.toString();
  }

  private static String textOf(ChatResponse response) {
    if (response.getResult() == null || response.getResult().getOutput().getText() == null) return "";
    return response.getResult().getOutput().getText();
  }
}
