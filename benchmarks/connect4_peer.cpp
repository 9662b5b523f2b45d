// Times a peer's solver on positions from standard input: all of them in one go, its table kept and book left out.
#include "Solver.hpp"
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

using namespace GameSolver::Connect4;

int main() {
  Solver solver;
  std::vector<Position> positions;
  for (std::string line; std::getline(std::cin, line);) {
    Position position;
    position.play(line);
    positions.push_back(position);
  }
  std::vector<int> scores;
  const std::clock_t began = std::clock();
  for (const Position &position : positions) scores.push_back(solver.solve(position));
  const double seconds = double(std::clock() - began) / CLOCKS_PER_SEC;
  std::cout << seconds << " " << solver.getNodeCount();
  for (int score : scores) std::cout << " " << score;
  std::cout << std::endl;
}
