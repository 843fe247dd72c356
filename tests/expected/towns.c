/* A decision tree exported by stakes.
 *
 * int towns_predict(const double *x) returns a class code; towns_classes[code] is its label.
 * Missing values are NaN, in nominal columns also -1. Do not compile with -ffast-math.
 *
 * x[column]:
 *   [0] a <&> b: numeric
 *   [1] town: nominal
 *         0 = ash
 *         1 = bay
 *         2 = cod
 *         3 = dee
 *         4 = elm
 *         5 = it's
 *         6 = q"
 *         7 = zoo
 * Classes:
 *   0 = 1
 *   1 = 2
 *   2 = 30
 */
#include <string.h>

const char *const towns_classes[3] = {"1", "2", "30"};

static const char *const categories_1[8] = {"ash", "bay", "cod", "dee", "elm", "it's", "q\042", "zoo"};
int towns_category(int column, const char *text) {
    const char *const *known = 0;
    int n = 0;
    if (column == 1) { known = categories_1; n = 8; }
    for (int code = 0; code < n; code++)
        if (strcmp(known[code], text) == 0) return code;
    (void)column;
    return -1;
}

static void add(double *p, double weight, const double *values, int n) {
    for (int k = 0; k < n; k++) p[k] += weight * values[k];
}

static void test_number(double x, double threshold, const double *shares, double *b) {
    const int missing = x != x;
    b[0] = missing ? shares[0] : (double)(x <= threshold);
    b[1] = missing ? shares[1] : (double)!(x <= threshold);
}

static void test_value(double x, const int *branches, int n_values, const double *shares,
                       double *b, int n) {
    const int branch = x >= 0 && x < n_values ? branches[(int)x] : -1;
    for (int i = 0; i < n; i++) b[i] = branch < 0 ? shares[i] : (double)(i == branch);
}

static int all_zero(const double *b, int n) {
    for (int i = 0; i < n; i++)
        if (b[i] > 0) return 0;
    return 1;
}

static void tree_0(const double *x, double w0, double *p) {
    static const double s0[3] = {0.6, 0.4, 0.0};
    double b0[3];
    static const int v0[8] = {0, 0, 0, 0, 0, 1, 2, -1};
    test_value(x[1], v0, 8, s0, b0, 3);
    if (b0[0] > 0) { /* town is 'ash', 'bay', 'cod', 'dee' or 'elm' */
        const double w1 = w0 * b0[0];
        static const double s1[2] = {0.75, 0.25};
        double b1[2];
        test_number(x[0], 1.5, s1, b1);
        if (b1[0] > 0) { /* a <&> b <= 1.5 */
            const double w4 = w1 * b1[0];
            static const double q4[3] = {0.625, 0.125, 0.25};
            add(p, w4, q4, 3);
        }
        if (b1[1] > 0) { /* a <&> b > 1.5 */
            const double w5 = w1 * b1[1];
            static const double s5[2] = {0.0, 0.0};
            double b5[2];
            test_number(x[0], 0.3333333333333333, s5, b5);
            if (all_zero(b5, 2)) { /* missing, and no branch has rows */
                static const double q5[3] = {0.0, 1.0, 0.0};
                add(p, w5, q5, 3);
            }
            if (b5[0] > 0) { /* a <&> b <= 0.3333333 */
                const double w6 = w5 * b5[0];
                static const double q6[3] = {0.0, 1.0, 0.0};
                add(p, w6, q6, 3);
            }
            if (b5[1] > 0) { /* a <&> b > 0.3333333 */
                const double w7 = w5 * b5[1];
                static const double q7[3] = {0.0, 1.0, 0.0};
                add(p, w7, q7, 3);
            }
        }
    }
    if (b0[1] > 0) { /* town is "it's" */
        const double w2 = w0 * b0[1];
        static const double q2[3] = {0.25, 0.0, 0.75};
        add(p, w2, q2, 3);
    }
    if (b0[2] > 0) { /* town is 'q"' */
        const double w3 = w0 * b0[2];
        static const double q3[3] = {0.4, 0.2, 0.4};
        add(p, w3, q3, 3);
    }
}

void towns_proba(const double *x, double *p) {
    for (int k = 0; k < 3; k++) p[k] = 0;
    tree_0(x, 1.0, p);
}

int towns_predict(const double *x) {
    static const double costs[3][3] = {{0.0, 1.0, 2.5}, {1.0, 0.0, 1.0}, {4.0, 1.0, 0.0}};
    double p[3], score[3];
    towns_proba(x, p);
    for (int k = 0; k < 3; k++) {
        score[k] = 0;
        for (int actual = 0; actual < 3; actual++) score[k] += p[actual] * costs[actual][k];
    }
    double best = score[0];
    for (int k = 1; k < 3; k++)
        if (score[k] < best) best = score[k];
    int code = 0;
    while (score[code] > best + 1e-12 * (best < 0 ? -best : best)) code++;
    return code;
}

