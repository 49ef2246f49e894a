import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.antlr.v4.Tool;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Lexer;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/**
 * Says whether the parser that ANTLR makes of a grammar accepts texts.
 *
 * <pre>java -cp ANTLR.jar Judge.java DIR LEXER PARSER RULE SOURCE... &lt;FILES</pre>
 *
 * SOURCE is a .g4 file of the grammar, in the order in which ANTLR needs them, or a .java file that it needs. DIR, an empty directory, takes
 * what is made of them. Standard input has the name of a file on each line; for each there is a line of output: "accepted" if RULE
 * matches the whole text without an error, "refused", or "undecided" if it is not UTF-8 or takes more than ten seconds. Exit code 3 if the
 * grammar cannot be built.
 */
public final class Judge {
    private static final long MILLISECONDS = 10_000;
    private static final long STACK_BYTES = 1L << 28;

    private static final class Errors extends BaseErrorListener {
        boolean any = false;

        @Override
        public void syntaxError(
                Recognizer<?, ?> recognizer, Object symbol, int line, int column, String message, RecognitionException error) {
            any = true;
        }
    }

    public static void main(String[] args) throws Exception {
        Path dir = Path.of(args[0]);
        List<String> grammars = new ArrayList<>(List.of("-o", dir.toString(), "-lib", dir.toString(), "-Xexact-output-dir"));
        List<String> sources = new ArrayList<>(List.of("-nowarn", "-d", dir.toString(), "-cp", System.getProperty("java.class.path")));
        for (String source : List.of(args).subList(4, args.length)) {
            Path copy = Files.copy(Path.of(source), dir.resolve(Path.of(source).getFileName()));
            (source.endsWith(".g4") ? grammars : sources).add(copy.toString());
        }
        Tool tool = new Tool(grammars.toArray(new String[0]));
        tool.processGrammarsOnCommandLine();
        if (tool.errMgr.getNumErrors() > 0) {
            System.exit(3);
        }
        try (Stream<Path> made = Files.list(dir)) {
            made.filter(path -> path.toString().endsWith(".java") && !sources.contains(path.toString()))
                    .forEach(path -> sources.add(path.toString()));
        }
        if (ToolProvider.getSystemJavaCompiler().run(null, System.err, System.err, sources.toArray(new String[0])) != 0) {
            System.exit(3);
        }
        ClassLoader loader = new URLClassLoader(new URL[] {dir.toUri().toURL()});
        Class<?> lexer = loader.loadClass(args[1]);
        Class<?> parser = loader.loadClass(args[2]);
        Method rule = parser.getMethod(args[3]);

        BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String name = names.readLine(); name != null; name = names.readLine()) {
            Path path = Path.of(name);
            String[] verdict = {"undecided"};
            Thread thread = new Thread(null, () -> verdict[0] = verdict(path, lexer, parser, rule), "parser", STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            thread.join(MILLISECONDS);
            System.out.println(verdict[0]);
        }
        System.out.flush();
        // What takes too long still runs.
        Runtime.getRuntime().halt(0);
    }

    private static String verdict(Path path, Class<?> lexers, Class<?> parsers, Method rule) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(Files.readAllBytes(path))).toString();
            Errors errors = new Errors();
            Lexer lexer = (Lexer) lexers.getConstructor(CharStream.class).newInstance(CharStreams.fromString(text));
            lexer.removeErrorListeners();
            lexer.addErrorListener(errors);
            Parser parser = (Parser) parsers.getConstructor(TokenStream.class).newInstance(new CommonTokenStream(lexer));
            parser.removeErrorListeners();
            parser.addErrorListener(errors);
            rule.invoke(parser);
            boolean isWhole = parser.getInputStream().LA(1) == Token.EOF;
            return isWhole && !errors.any ? "accepted" : "refused";
        } catch (CharacterCodingException error) {
            return "undecided";
        } catch (Throwable error) {
            // Code in the grammar may give up on a text in its own way, and deep texts end the stack.
            boolean isDeep = error.getCause() instanceof StackOverflowError || error instanceof StackOverflowError;
            return isDeep ? "undecided" : "refused";
        }
    }
}
