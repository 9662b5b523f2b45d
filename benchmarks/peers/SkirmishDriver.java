// Compiled against the public test bed, which is under the GNU General Public License; offered under the same licence.
import action.Action;
import action.DropAction;
import action.EndTurnAction;
import action.SingletonAction;
import action.SwapCardAction;
import action.UnitAction;
import ai.AI;
import ai.GreedyActionAI;
import ai.GreedyTurnAI;
import ai.RandomAI;
import ai.RandomHeuristicAI;
import ai.evaluation.HeuristicEvaluator;
import ai.evaluation.RolloutEvaluator;
import ai.evolution.OnlineEvolution;
import ai.mcts.Mcts;
import ai.util.RAND_METHOD;
import game.GameState;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import model.Card;
import model.CardSet;
import model.HaMap;
import model.Position;
import model.SquareType;
import model.Unit;
import util.CachedLines;

/**
 * Drives the public program over pipes, a line a question and a line an answer. Squares are "x y" from the upper left corner, cards are
 * numbers in the order of the program's own list, which is ours too.
 *
 * <p>map ROWS POINTS FIRST_POINTS TURN_CAP: rows with "/" between, in our signs. position STATE: sets one up. list: the actions.
 * act ACTION, end: plays one; the answer is the state. think PLAYER MILLISECONDS [processor]: the actions of a
 * whole turn, by the wall clock or by the processor time of the thread that thinks. spent: that thread's processor time so far, in
 * nanoseconds. steps N: plays N random actions from the position and answers the nanoseconds that they took, listing included.
 */
public final class SkirmishDriver {
    private static final int FOREVER = 1 << 30;
    private static HaMap map;
    private static GameState state;
    private static Mcts tree;
    private static String treeName;
    private static int treeTurn;

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // the program's own prints
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer(line.trim().split(" ")));
            out.flush();
        }
    }

    private static String answer(String[] words) {
        switch (words[0]) {
            case "map":
                build(words[1].split("/"), words);
                return "ok";
            case "position":
                read(words);
                return told();
            case "list":
                List<Action> listed = new ArrayList<>();
                state.possibleActions(listed);
                return joined(listed);
            case "act":
                state.update(action(words, 1));
                return told();
            case "end":
                state.update(SingletonAction.endTurnAction);
                return told();
            case "think":
                return joined(turn(words[1], Integer.parseInt(words[2]), words.length > 3));
            case "spent":
                return Long.toString(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
            case "steps":
                return Long.toString(steps(Integer.parseInt(words[1])));
            default:
                return "what is " + words[0] + "?";
        }
    }

    private static void build(String[] rows, String[] words) {
        SquareType[][] squares = new SquareType[rows[0].length()][rows.length];
        for (int y = 0; y < rows.length; y++)
            for (int x = 0; x < rows[0].length(); x++)
                switch (rows[y].charAt(x)) {
                    case '1': squares[x][y] = SquareType.DEPLOY_1; break;
                    case '2': squares[x][y] = SquareType.DEPLOY_2; break;
                    case 'b': squares[x][y] = SquareType.ASSAULT; break;
                    case 'w': squares[x][y] = SquareType.DEFENSE; break;
                    case 's': squares[x][y] = SquareType.POWER; break;
                    default: squares[x][y] = SquareType.NONE;
                }
        map = new HaMap(rows[0].length(), rows.length, squares, "ours");
        for (int y = 0; y < rows.length; y++)
            for (int x = 0; x < rows[0].length(); x++) {
                if (rows[y].charAt(x) == 'T') map.p1Crystals.add(new Position(x, y));
                if (rows[y].charAt(x) == 't') map.p2Crystals.add(new Position(x, y));
            }
        GameState.ACTION_POINTS = Integer.parseInt(words[2]);
        GameState.STARTING_AP = Integer.parseInt(words[3]);
        GameState.TURN_LIMIT = Integer.parseInt(words[4]);
        SingletonAction.init(map);
        CachedLines.posMap.clear();
        CachedLines.load(map);
    }

    /** position SEAT TURN POINTS hand hand deck deck piece*: cards are counts with commas, a piece is x,y,kind,side,health,kit. */
    private static void read(String[] words) {
        state = new GameState(map);
        state.p1Turn = words[1].equals("0");
        state.turn = Integer.parseInt(words[2]);
        state.APLeft = Integer.parseInt(words[3]);
        CardSet[] sets = {state.p1Hand, state.p2Hand, state.p1Deck, state.p2Deck};
        for (int i = 0; i < 4; i++) {
            String[] counts = words[4 + i].split(",");
            for (int c = 0; c < counts.length; c++)
                for (int n = Integer.parseInt(counts[c]); n > 0; n--) sets[i].add(Card.values()[c]);
        }
        for (int i = 8; i < words.length; i++) {
            String[] part = words[i].split(",");
            int kind = Integer.parseInt(part[2]);
            Card card = kind == 5 ? Card.CRYSTAL : Card.values()[kind];
            Unit unit = new Unit(card, part[3].equals("0"));
            unit.hp = Integer.parseInt(part[4]);
            int kit = Integer.parseInt(part[5]);
            for (int k = 0; k < 4; k++)
                if ((kit >> k & 1) == 1) unit.equipment.add(Card.values()[Card.RUNEMETAL.ordinal() + k]);
            state.units[Integer.parseInt(part[0])][Integer.parseInt(part[1])] = unit;
        }
    }

    private static String told() {
        StringBuilder text = new StringBuilder();
        text.append(state.p1Turn ? 0 : 1).append(' ').append(state.turn).append(' ').append(state.APLeft);
        text.append(' ').append(state.isTerminal ? 1 : 0).append(' ').append(state.isTerminal ? state.getWinner() : 0);
        for (CardSet set : new CardSet[] {state.p1Hand, state.p2Hand, state.p1Deck, state.p2Deck}) {
            text.append(' ');
            for (int c = 0; c < 11; c++) text.append(c == 0 ? "" : ",").append(set.cards[c]);
        }
        for (int y = 0; y < map.height; y++)
            for (int x = 0; x < map.width; x++) {
                Unit unit = state.units[x][y];
                if (unit == null) continue;
                int kit = 0;
                for (Card card : unit.equipment) kit |= 1 << card.ordinal() - Card.RUNEMETAL.ordinal();
                int kind = unit.unitClass.card == Card.CRYSTAL ? 5 : unit.unitClass.card.ordinal();
                text.append(' ').append(x).append(',').append(y).append(',').append(kind).append(',');
                text.append(unit.p1Owner ? 0 : 1).append(',').append(unit.hp).append(',').append(kit);
            }
        return text.toString();
    }

    /** u X Y X Y, c CARD X Y, s CARD, e. */
    private static Action action(String[] words, int at) {
        int[] n = new int[words.length];
        for (int i = at + 1; i < words.length; i++) n[i] = Integer.parseInt(words[i]);
        switch (words[at]) {
            case "u":
                Position from = SingletonAction.positions[n[at + 1]][n[at + 2]];
                return new UnitAction(from, SingletonAction.positions[n[at + 3]][n[at + 4]], null);
            case "c":
                return new DropAction(Card.values()[n[at + 1]], SingletonAction.positions[n[at + 2]][n[at + 3]]);
            case "s":
                return new SwapCardAction(Card.values()[n[at + 1]]);
            default:
                return SingletonAction.endTurnAction;
        }
    }

    private static String written(Action action) {
        if (action instanceof UnitAction) {
            UnitAction unit = (UnitAction) action;
            return "u " + unit.from.x + " " + unit.from.y + " " + unit.to.x + " " + unit.to.y;
        }
        if (action instanceof DropAction) {
            DropAction drop = (DropAction) action;
            return "c " + drop.type.ordinal() + " " + drop.to.x + " " + drop.to.y;
        }
        if (action instanceof SwapCardAction) return "s " + ((SwapCardAction) action).card.ordinal();
        if (action instanceof EndTurnAction) return "e";
        return "?";
    }

    private static String joined(List<Action> actions) {
        StringBuilder text = new StringBuilder();
        for (Action action : actions) text.append(text.length() == 0 ? "" : ";").append(written(action));
        return text.toString();
    }

    /** Ends the thinking of a player when this thread has spent its time: players look at the wall clock and at their budget. */
    private static Thread watch(AI player, int milliseconds) {
        ThreadMXBean clocks = ManagementFactory.getThreadMXBean();
        long thinking = Thread.currentThread().getId();
        long end = clocks.getThreadCpuTime(thinking) + milliseconds * 1_000_000L;
        Thread watcher = new Thread(() -> {
            try {
                for (long left = 1; left > 0; left = end - clocks.getThreadCpuTime(thinking))
                    Thread.sleep(Math.max(left / 2_000_000, 1));
                if (player instanceof OnlineEvolution) ((OnlineEvolution) player).budget = 0;
                if (player instanceof Mcts) ((Mcts) player).budget = 0;
            } catch (InterruptedException over) {
                return;
            }
        });
        watcher.setDaemon(true);
        watcher.start();
        return watcher;
    }

    private static List<Action> turn(String name, int milliseconds, boolean processor) {
        GameState copy = new GameState(map);
        copy.imitate(state);
        AI player = player(name, processor ? FOREVER : milliseconds);
        Thread watcher = processor ? watch(player, milliseconds) : null;
        List<Action> found = new ArrayList<>();
        while (!copy.isTerminal && copy.turn == state.turn && copy.APLeft > 0) {
            GameState shown = new GameState(map);
            shown.imitate(copy);
            Action action = player.act(shown, milliseconds);
            if (action == null) action = SingletonAction.endTurnAction;
            found.add(action);
            copy.update(action);
        }
        if (watcher != null) watcher.interrupt();
        if (player == tree && !tree.move.isEmpty()) {
            if (tree.move.size() == 1) tree.act(copy, milliseconds); // the end of the turn: it notes what it has left
            tree.move.clear();
        }
        return found;
    }

    /** The tree of a game: from turn to turn it notes the position that it left, in order not to bring it about again. */
    private static Mcts tree(String name, int budget) {
        if (tree == null || !treeName.equals(name) || state.turn <= treeTurn) {
            double greed = name.equals("ne-mcts") ? 1 : 0.5;
            RolloutEvaluator rollout =
                    new RolloutEvaluator(1, 1, new RandomHeuristicAI(greed), new HeuristicEvaluator(true));
            tree = new Mcts(budget, rollout);
            tree.cut = name.equals("bb-mcts");
            if (name.equals("ne-mcts")) tree.c = 0;
        }
        tree.budget = budget;
        tree.fitnesses.clear(); // one number an iteration, and for nothing here
        treeName = name;
        treeTurn = state.turn;
        return tree;
    }

    /** The players of the published comparison, with its settings. */
    private static AI player(String name, int budget) {
        switch (name) {
            case "random":
                return new RandomAI(RAND_METHOD.BRUTE);
            case "greedy-action":
                return new GreedyActionAI(new HeuristicEvaluator(false));
            case "greedy-turn":
                return new GreedyTurnAI(new HeuristicEvaluator(false), budget);
            case "oe":
                return new OnlineEvolution(true, 100, 0.1, 0.5, budget, new HeuristicEvaluator(false));
            default:
                return tree(name, budget);
        }
    }

    private static long steps(int n) {
        GameState copy = new GameState(map);
        copy.imitate(state);
        AI random = new RandomAI(RAND_METHOD.BRUTE);
        long began = System.nanoTime();
        for (int i = 0; i < n; i++) {
            copy.update(random.act(copy, 0));
            if (copy.isTerminal) copy.imitate(state);
        }
        return System.nanoTime() - began;
    }
}
