package dev.orbweaver.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orbweaver.fleet.redis.ScriptConstants.SeenResult;
import dev.orbweaver.fleet.redis.ScriptScenario.Call;
import dev.orbweaver.fleet.redis.ScriptScenario.Command;
import dev.orbweaver.fleet.redis.ScriptScenario.Step;
import dev.orbweaver.testing.Golden;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Java and the scripts agree with one file of requests and replies. The file has the calls of
 * {@link ScriptScenario} with their arguments by name, the reply as Redis sends it, and the reply
 * as Java decodes it. Java is compared with it without Redis; the scripts read their arguments from
 * it.
 */
@Slow
class ScriptProtocolTest {

    private static final String FILE = "dev/orbweaver/fleet/redis/protocol.txt";

    /** The only form in which scripts read arguments. */
    private static final Pattern READ =
            Pattern.compile("^( *)local ([\\w, ]+) = arguments\\((\\d+)\\)$", Pattern.MULTILINE);

    private static final String ECHO = "echo";

    /** A step as the file has it. */
    private record Example(String title, List<String> arguments, String reply, String decoded) {

        private static Example parse(String block) {
            var lines = block.lines().toList();
            var end = lines.indexOf("reply");
            return end < 0
                    ? new Example(lines.getFirst(), lines.subList(1, lines.size()), "", "")
                    : new Example(
                            lines.getFirst(),
                            lines.subList(1, end),
                            lines.get(end + 1),
                            lines.get(end + 2));
        }

        private String print() {
            return String.join("\n", title, String.join("\n", arguments), "reply", reply, decoded)
                    .replaceFirst("\n\n+", "\n");
        }
    }

    private static List<Example> examples() throws IOException {
        var text = Files.readString(Path.of("src", "test", "resources").resolve(FILE));
        return Arrays.stream(text.split("\n\n")).map(Example::parse).toList();
    }

    @Test
    void javaWritesTheArgumentsOfTheFileAndReadsItsReplies() throws IOException {
        var steps = ScriptScenario.steps();
        var examples = examples();
        assertThat(examples).extracting(Example::title).isEqualTo(titles(steps));
        for (var i = 0; i < steps.size(); i++) {
            var example = examples.get(i);
            switch (steps.get(i)) {
                case Command(_, var words) -> assertThat(example.arguments).isEqualTo(words);
                case Call call -> {
                    assertThat(arguments(call)).as(call.title()).isEqualTo(example.arguments);
                    Object decoded = ScriptCodec.decode(call.request(), parse(example.reply));
                    assertThat(print(decoded)).as(call.title()).isEqualTo(example.decoded);
                    assertThat(decoded).isInstanceOf(replyType(call.request()));
                }
            }
        }
    }

    @Test
    void theScriptsReadTheArgumentsOfTheFileAndWriteItsReplies(@TempDir Path directory)
            throws IOException {
        try (var redis = RedisProcess.start(directory);
                var connection = RedisConnection.open(redis.uri(), Duration.ofSeconds(10))) {
            var write = System.getProperty("orbweaver.golden", "").equals("write");
            var expected = write ? List.<Example>of() : examples();
            var actual = new ArrayList<String>();
            for (var step : ScriptScenario.steps()) {
                switch (step) {
                    case Command(var title, var words) -> {
                        var _ = redis.command(words.toArray(String[]::new));
                        actual.add(title + "\n" + String.join("\n", words));
                    }
                    case Call call -> {
                        var arguments =
                                write ? arguments(call) : expected.get(actual.size()).arguments;
                        actual.add(run(connection, call, arguments).print());
                    }
                }
            }
            Golden.check(FILE, String.join("\n\n", actual) + "\n");
        }
    }

    /** Calls a script that records the names under which it has read its arguments. */
    private static Example run(RedisConnection connection, Call call, List<String> arguments)
            throws IOException {
        var script = ScriptCodec.script(call.request());
        var recording =
                READ.matcher(script.text)
                        .replaceAll(
                                read ->
                                        "$0\n$1redis.call('RPUSH', '%s', %s)"
                                                .formatted(ECHO, echoed(read.group(2))));
        var args =
                arguments.stream()
                        .map(line -> unescape(line.substring(line.indexOf(" = ") + 3)))
                        .toArray(byte[][]::new);
        byte[][] keys = {RedisConnection.bytes(call.key())};
        var reply = connection.execute(redis -> redis.eval(recording, script.output, keys, args));
        var echo = connection.execute(redis -> redis.lrange(RedisConnection.bytes(ECHO), 0, -1));
        var _ = connection.execute(redis -> redis.del(RedisConnection.bytes(ECHO)));
        var read = new ArrayList<String>();
        for (var i = 0; i < echo.size(); i += 2) {
            read.add(escape(echo.get(i)) + " = " + escape(echo.get(i + 1)));
        }
        var text =
                call.request() instanceof ShardRequest.View
                        ? print(withSortedCounters((List<?>) reply))
                        : print(reply);
        return new Example(
                call.title(), read, text, print(ScriptCodec.decode(call.request(), parse(text))));
    }

    /** A view whose counters have an order, which those of a hash in Redis do not. */
    private static List<?> withSortedCounters(List<?> view) {
        var all = new ArrayList<Object>(view);
        var jobs = (List<?>) all.get(4);
        var job = new ArrayList<Object>((List<?>) jobs.getFirst());
        var counters = (List<?>) job.get(1);
        var sorted = new TreeMap<String, Object>();
        for (var i = 0; i < counters.size(); i += 2) {
            sorted.put(print(counters.get(i)), counters.get(i + 1));
        }
        job.set(
                1,
                sorted.entrySet().stream()
                        .flatMap(each -> Stream.of(parse(each.getKey()), each.getValue()))
                        .toList());
        all.set(4, List.of(job));
        return all;
    }

    private static String echoed(String names) {
        return Arrays.stream(names.split(", "))
                .map(name -> "'" + name + "', " + name)
                .collect(Collectors.joining(", "));
    }

    private static List<String> arguments(Call call) {
        var lines = new ArrayList<String>();
        ScriptArguments out = (name, value) -> lines.add(name + " = " + escape(value));
        call.header().forEach(header -> ScriptCodec.encode(header, out));
        ScriptCodec.encode(call.request(), out);
        return lines;
    }

    private static List<String> titles(List<Step> steps) {
        return steps.stream().map(Step::title).toList();
    }

    @Test
    void theFileHasEveryRequest() {
        var used =
                ScriptScenario.steps().stream()
                        .filter(Call.class::isInstance)
                        .map(step -> ((Call) step).request().getClass())
                        .collect(Collectors.toSet());
        assertThat(used).isEqualTo(requests(ScriptRequest.class));
    }

    private static Set<Class<?>> requests(Class<?> type) {
        if (!type.isSealed()) {
            return Set.of(type);
        }
        var all = new HashSet<Class<?>>();
        for (var each : type.getPermittedSubclasses()) {
            all.addAll(requests(each));
        }
        return all;
    }

    /** The type of a reply, as the request declares it. */
    private static Class<?> replyType(ScriptRequest<?> request) {
        var declared = (ParameterizedType) request.getClass().getGenericInterfaces()[0];
        return switch (declared.getActualTypeArguments()[0]) {
            case ParameterizedType list -> (Class<?>) list.getRawType();
            case Class<?> type -> type;
            case Type other -> throw new AssertionError(other);
        };
    }

    @Test
    void scriptsReadArgumentsByNameOnlyAndNameNoUnknownConstant() {
        for (var script : Script.values()) {
            var declared = new HashSet<>(Set.of("KEYS", "ARGV"));
            var locals = Pattern.compile("\\blocal ([A-Z_]+) =").matcher(script.text);
            while (locals.find()) {
                declared.add(locals.group(1));
            }
            var code = script.text.replaceAll("--.*", "").replaceAll("'[^']*'", "");
            var names = Pattern.compile("\\b[A-Z][A-Z_]+\\b").matcher(code);
            while (names.find()) {
                assertThat(declared).as("%s", script).contains(names.group());
            }
            assertThat(code.split("\\bARGV\\b", -1).length - 1)
                    .as("%s reads arguments by position", script)
                    .isEqualTo(code.contains("local function arguments") ? 2 : 0);
            var reads = READ.matcher(script.text);
            while (reads.find()) {
                assertThat(reads.group(2).split(", ", -1))
                        .as("%s", reads.group())
                        .hasSize(Integer.parseInt(reads.group(3)));
            }
        }
    }

    @Test
    void functionsThatAScriptDoesNotUseAreLeftOut() {
        assertThat(Script.OFFER.text).contains("function place(", "function arguments(");
        assertThat(Script.OFFER.text).doesNotContain("function release(", "function requeue(");
        assertThat(Script.CLOCK.text).contains("function integer(").doesNotContain("ARGV");
    }

    @Test
    void aLetterThatNoScriptWritesIsRefused() {
        assertThatThrownBy(() -> ScriptReply.letters("KX", SeenResult.values()))
                .hasMessage("unexpected reply of a script: 'X'");
    }

    private static String print(Object value) {
        return switch (value) {
            case byte[] bytes -> '"' + escape(bytes) + '"';
            case int[] numbers -> Arrays.toString(numbers);
            case List<?> list ->
                    list.stream()
                            .map(ScriptProtocolTest::print)
                            .collect(Collectors.joining(", ", "[", "]"));
            default -> value.toString();
        };
    }

    private static String escape(byte[] bytes) {
        var text = new StringBuilder();
        for (var each : bytes) {
            if (each < ' ' || each > '~' || each == '"' || each == '\\') {
                text.append("\\%02x".formatted(each));
            } else {
                text.append((char) each);
            }
        }
        return text.toString();
    }

    private static byte[] unescape(String text) {
        var bytes = new ByteArrayOutputStream();
        for (var i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                bytes.write(Integer.parseInt(text, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.writeBytes(text.substring(i, i + 1).getBytes(StandardCharsets.US_ASCII));
            }
        }
        return bytes.toByteArray();
    }

    /** Parses a reply from the output of {@link #print}. */
    private static Object parse(String text) {
        var open = new ArrayList<List<Object>>(List.of(new ArrayList<>()));
        var tokens = Pattern.compile("\\[|]|\"([^\"]*)\"").matcher(text);
        while (tokens.find()) {
            switch (tokens.group()) {
                case "[" -> {
                    var list = new ArrayList<Object>();
                    open.getLast().add(list);
                    open.add(list);
                }
                case "]" -> open.removeLast();
                default -> open.getLast().add(unescape(tokens.group(1)));
            }
        }
        return open.getFirst().getFirst();
    }
}
